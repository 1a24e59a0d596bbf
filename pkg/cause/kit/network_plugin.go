package kit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// networkErrorText is how containerd and CRI-O begin the error of a sandbox whose network
// they cannot remove (containerd/internal/cri/server/sandbox_stop.go,
// cri-o/server/sandbox_network.go).
const networkErrorText = "failed to destroy network for "

// pluginName finds the CNI plugin that such an error names
// (containernetworking/cni/pkg/invoke/exec.go), in quotes that may be escaped.
var pluginName = regexp.MustCompile(`plugin type=\\*"([A-Za-z0-9._-]+)\\*"`)

// NetworkError is what the kubelet says of a Pod whose network a CNI plugin cannot remove.
type NetworkError struct {
	Plugin string // empty where the event names none
	Line   string // a line of evidence
}

// NetworkErrors are the network errors in the events of a Pod, the last first.
func NetworkErrors(view *cluster.View, o stuck.Object) cluster.List[NetworkError] {
	events := view.Events(o)
	slices.SortStableFunc(events.Items, func(a, b corev1.Event) int { return cluster.LastEventTime(b).Compare(cluster.LastEventTime(a)) })
	out := cluster.List[NetworkError]{Complete: events.Complete}
	for _, e := range events.Items {
		_, failure, isNetwork := strings.Cut(e.Message, networkErrorText)
		if e.Type != corev1.EventTypeWarning || !slices.Contains(KillErrorReasons, e.Reason) || !isNetwork {
			continue
		}
		found := NetworkError{Line: fmt.Sprintf("event %s (%d times, last %s): %s%s", e.Reason, max(e.Count, 1), Ago(view, cluster.LastEventTime(e)), networkErrorText, reasonOf(failure))}
		if m := pluginName.FindStringSubmatch(failure); m != nil {
			found.Plugin = m[1]
		}
		out.Items = append(out.Items, found)
	}
	return out
}

// sandbox is how such an error goes on: with the id of the sandbox, which says nothing.
var sandbox = regexp.MustCompile(`^((?:pod )?sandbox)[^:]*: `)

func reasonOf(failure string) string {
	unquoted := strings.TrimSuffix(strings.ReplaceAll(failure, `\"`, `"`), `"`)
	return apitext.Shorten(sandbox.ReplaceAllString(unquoted, "$1: "))
}

// cniFolder is a folder of a node in which CNI plugins are installed or configured, whatever
// the distribution puts before it.
var cniFolder = regexp.MustCompile(`/cni(/bin|/net\.d)?/?$`)

// MissingNetworkPlugins are the DaemonSets that explain the network error of a Pod: they
// install a CNI plugin, should run on the node, and have no ready Pod there. One that does
// not select the node counts only if it has the name of the plugin that fails and no other
// of that name runs there: most are for another operating system or architecture. A plugin
// that was restarted is given time.
func MissingNetworkPlugins(view *cluster.View, o stuck.Object, pod corev1.Pod, failure NetworkError) cluster.List[appsv1.DaemonSet] {
	if !IsCleanupOverdue(view, o) {
		return cluster.List[appsv1.DaemonSet]{Complete: true}
	}
	node, pods := view.Node(pod.Spec.NodeName), view.PodsOnNode(pod.Spec.NodeName)
	if !node.Found() || !pods.Complete {
		return cluster.List[appsv1.DaemonSet]{}
	}
	sets := cluster.ReadList[appsv1.DaemonSet](view, cluster.DaemonSetType, cluster.Selection{})
	sets.Items = slices.DeleteFunc(sets.Items, func(ds appsv1.DaemonSet) bool { return !installsNetworkPlugin(ds.Spec.Template.Spec) })
	runs := func(ds appsv1.DaemonSet) bool { return hasReadyPod(ds, pods.Items) }
	namedRuns := slices.ContainsFunc(sets.Items, func(ds appsv1.DaemonSet) bool { return failure.isOf(ds) && runs(ds) })
	sets.Items = slices.DeleteFunc(sets.Items, func(ds appsv1.DaemonSet) bool {
		selects := labels.SelectorFromSet(ds.Spec.Template.Spec.NodeSelector).Matches(labels.Set(node.Value.Labels))
		return runs(ds) || !selects && (!failure.isOf(ds) || namedRuns)
	})
	return sets
}

// isOf reports whether a DaemonSet has the name of the plugin that fails.
func (e NetworkError) isOf(ds appsv1.DaemonSet) bool {
	project, _, _ := strings.Cut(e.Plugin, "-")
	return project != "" && strings.Contains(ds.Name, project)
}

func installsNetworkPlugin(pod corev1.PodSpec) bool {
	return slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool {
		return v.HostPath != nil && cniFolder.MatchString(v.HostPath.Path)
	})
}
