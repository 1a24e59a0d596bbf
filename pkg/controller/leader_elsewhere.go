package controller

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// LeaderElsewhere is the Lease of a workload that a process outside its Pods holds and
// renews: a copy of the controller on a developer's machine, or in another cluster that
// shares this API server. Known says that it could be seen whether there is one.
//
// Only identities made by client-go ("<host name>_<random>", tools/leaderelection) tell
// who holds a Lease, and only where a Pod's host name is its name.
func LeaderElsewhere(view *cluster.View, w cluster.Workload) (held *Leadership, known bool) {
	leases := view.Leases(w.Namespace)
	known = leases.Complete
	if !hostNameIsPodName(w) {
		return nil, known
	}
	for _, lease := range leases.Items {
		if !isLeaseOf(w, lease) {
			continue
		}
		leads, seen := isLedByPod(view, w, lease)
		if leads {
			return nil, known
		}
		leadership := LeadershipByLease(view, lease)
		if known = known && seen; seen && !leadership.Lost {
			leadership.Description += "; pod/" + HolderPod(lease) + " does not exist"
			held = &leadership
		}
	}
	return held, known
}

// isLedByPod reports whether a Pod, of this workload or of another that may use the
// Lease, holds it; seen says that it could be told. An identity of another form tells nothing.
func isLedByPod(view *cluster.View, w cluster.Workload, lease cluster.Lease) (leads, seen bool) {
	pod, _, byClientGo := strings.Cut(holderIdentity(lease), "_")
	if !byClientGo || len(pod) >= validation.DNS1123LabelMaxLength || isPodNameOf(w, pod) {
		return true, true
	}
	if len(validation.IsDNS1123Subdomain(pod)) > 0 {
		return false, true // no Pod can have this name
	}
	led, all := WorkloadsLedBy(view, lease)
	exists, known := view.PodExists(lease.Namespace, pod)
	return exists || len(led) > 1, all && known
}

// hostNameIsPodName reports whether the programs in a workload's Pods take the Pod's name for that of their host.
func hostNameIsPodName(w cluster.Workload) bool {
	spec := w.PodTemplate.Spec
	asFQDN := spec.SetHostnameAsFQDN != nil && *spec.SetHostnameAsFQDN
	return !spec.HostNetwork && spec.Hostname == "" && spec.HostnameOverride == nil && !asFQDN
}
