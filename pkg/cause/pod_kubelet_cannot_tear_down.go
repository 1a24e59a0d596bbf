package cause

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PodKubeletCannotTearDown blocks a Pod whose kubelet runs and cannot finish.
var PodKubeletCannotTearDown = kit.Cause{
	ID:    "kubelet-cannot-tear-down",
	Title: "The kubelet cannot stop the pod's containers, remove its network or unmount its volumes",
	Doc: kit.Doc{
		Symptoms: "A Pod is past its grace period on a node that is Ready. The Pod has Warning events `FailedKillPod` or `ExceededGracePeriod`, or all its containers are terminated and the Pod still exists.",
		Why:      "The kubelet deletes the Pod at the API server as its last step: after the containers have stopped, the volumes are unmounted and the cgroup is removed. A process that hangs in the kernel, a container runtime that does not respond, a CNI plugin that fails, or an NFS server or disk that is unreachable blocks these steps. The kubelet reports an error of a container in an event, but an error of a volume only in its log.",
		Fix:      "Read the log of the kubelet on that node. Make the storage of the volume, the CNI plugin or the container runtime work again. If a CNI plugin was uninstalled and its configuration is still in `/etc/cni/net.d` of the node, remove that file. If a process hangs in the kernel, drain the node and reboot it.",
		IfForced: "The containers may still run and the volumes may still be mounted. If another pod then mounts the same volume on another node, data is at risk.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsPod(o) && o.Deleting() },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		pod, ok := kit.PodOnReadyNode(view, o)
		if !ok {
			return nil
		}
		failures := kit.NetworkErrors(view, o)
		if len(failures.Items) > 0 {
			return failingPluginFindings(view, o, *pod, failures.Items[0])
		}
		if kit.AllContainersStopped(*pod) {
			if !kit.IsCleanupOverdue(view, o) {
				return nil
			}
			// A driver that is missing on the node is a cause of its own.
			volumes, devices := kit.VolumesWithoutDriver(view, *pod), kit.DevicesWithoutDriver(view, *pod)
			f := cannotCleanUpFinding(view, *pod)
			switch {
			case len(volumes.Items)+len(devices.Items) > 0:
				return nil
			case !volumes.Complete || !devices.Complete || !failures.Complete:
				f.Steps = nil // it may be a driver or the network
			}
			return []stuck.Finding{f}
		}
		if events := kit.WarningEvents(view, o, time.Time{}, kit.KillErrorReasons...); len(events) > 0 {
			return []stuck.Finding{cannotStopFinding(*pod, events)}
		}
		return nil
	},
}

func cannotStopFinding(pod corev1.Pod, events []string) stuck.Finding {
	f := tearDownFinding(pod)
	f.Message = "the kubelet of node/" + pod.Spec.NodeName + " cannot stop the containers of the pod"
	f.Evidence = append(events, f.Evidence...)
	return f
}

// failingPluginFindings is a network error on a node on which no DaemonSet of a CNI plugin is
// missing, which is a cause of its own: the plugin fails, or only its configuration was left
// on the node.
func failingPluginFindings(view *cluster.View, o stuck.Object, pod corev1.Pod, failure kit.NetworkError) []stuck.Finding {
	missing, f := kit.MissingNetworkPlugins(view, o, pod, failure), cannotRemoveNetworkFinding(pod, failure)
	switch {
	case len(missing.Items) > 0:
		return nil
	case !missing.Complete:
		f.Steps = nil // it may be missing
	}
	return []stuck.Finding{f}
}

func cannotRemoveNetworkFinding(pod corev1.Pod, failure kit.NetworkError) stuck.Finding {
	f := cannotStopFinding(pod, []string{failure.Line})
	f.Message = fmt.Sprintf("the kubelet of node/%s cannot remove the network of the pod%s", pod.Spec.NodeName, pluginClause(failure.Plugin))
	f.Steps = append([]stuck.Step{{
		Action:      stuck.ActionChange,
		Description: "see whether the node still has the configuration of a CNI plugin that was uninstalled (starts a debug pod on the node)",
		Command:     stuck.Shellf("kubectl debug node/%s -it --image=busybox -- ls -l /host/etc/cni/net.d", pod.Spec.NodeName),
	}}, f.Steps...)
	return f
}

// pluginClause names the CNI plugin that fails, if the event names one.
func pluginClause(plugin string) string {
	if plugin == "" {
		return ""
	}
	return ": CNI plugin " + plugin + " fails"
}

func cannotCleanUpFinding(view *cluster.View, pod corev1.Pod) stuck.Finding {
	f := tearDownFinding(pod)
	f.Message = "the kubelet of node/" + pod.Spec.NodeName + " cannot clean up the pod"
	f.Evidence = append([]string{
		fmt.Sprintf("all containers have stopped, and the pod is %s past its grace period", kit.ElapsedText(view, pod.DeletionTimestamp.Time)),
		"the kubelet has yet to unmount volumes and remove the cgroup; such errors are in its log only",
	}, f.Evidence...)
	// That much is known to have ended.
	f.OnForce = stuck.Cost{Leaves: stuck.LeakUnknown, Description: "the volumes may still be mounted on node/" + pod.Spec.NodeName + ", and the last writes may not be on disk"}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			f.Evidence = append(f.Evidence, fmt.Sprintf("volume %s is persistentvolumeclaim/%s", v.Name, v.PersistentVolumeClaim.ClaimName))
		}
		if v.NFS != nil {
			f.Evidence = append(f.Evidence, fmt.Sprintf("volume %s is the NFS export %s:%s", v.Name, v.NFS.Server, v.NFS.Path))
		}
	}
	return f
}

func tearDownFinding(pod corev1.Pod) stuck.Finding {
	f := kit.PodOnLostNodeFinding(pod)
	f.Certainty = stuck.Likely
	f.Evidence = []string{fmt.Sprintf("node/%s is Ready, and its kubelet has not reported that the pod is down", pod.Spec.NodeName)}
	f.Steps = []stuck.Step{
		{
			Action:      stuck.ActionChange,
			Description: "read the log of the kubelet for the pod (starts a debug pod on the node)",
			Command: stuck.Shellf("kubectl debug node/%s -it --image=busybox -- chroot /host journalctl -u kubelet --since=-1h --grep=%s",
				pod.Spec.NodeName, pod.UID),
		},
		{
			Action:      stuck.ActionChange,
			Description: "only if a process or a mount hangs in the kernel: evict the other pods of the node, whose emptyDir data is lost, then reboot the node",
			// Without the timeout, drain waits for the stuck pod.
			Command: stuck.Shellf("kubectl drain %s --ignore-daemonsets --delete-emptydir-data --skip-wait-for-delete-timeout=1", pod.Spec.NodeName),
		},
	}
	return f
}
