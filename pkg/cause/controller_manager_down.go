package cause

import (
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerManagerDown stops every deletion that Kubernetes itself has to
// finish.
var ControllerManagerDown = Cause{
	ID:    "controller-manager-down",
	Title: "kube-controller-manager is not running",
	Doc: Doc{
		Shows: "Namespaces are Terminating without any conditions, or with old ones; nothing is garbage-collected; new Deployments get no ReplicaSets. The Lease kube-system/kube-controller-manager is no longer renewed.",
		Why:   "Namespaces, owners that wait for their dependents, claims, volumes and the Pods of Jobs are finished by controllers that live in kube-controller-manager. It holds a Lease while it works and renews it every few seconds.",
		Fix:   "Get kube-controller-manager running again: its pod or unit on the control-plane nodes, or the provider's support where the control plane is hosted.",
		Force: "Whatever the controller would have done is left undone: the content of a namespace is never deleted, dependents stay, volumes are not checked for users.",
	},
	Applies: func(o stuck.Object) bool { return o.Deleting() && (o.IsNamespace() || len(builtIn(o)) > 0) },
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		lease := managerLease(see)
		if !lease.Found() {
			return nil
		}
		if owner.Expired(see, *lease.Value) {
			return []stuck.Finding{managerDown(see, o, *lease.Value)}
		}
		return nil
	},
}

// builtIn are the finalizers of the object that kube-controller-manager
// removes.
func builtIn(o stuck.Object) []string {
	theirs := []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents, finalizerClaim, finalizerVolume, finalizerJob}
	var out []string
	for _, f := range slices.Concat(o.Finalizers, o.SpecFinalizers) {
		if slices.Contains(theirs, f) || o.IsNamespace() && f == finalizerKubernetes {
			out = append(out, f)
		}
	}
	return out
}

func managerLease(see *cluster.View) cluster.One[coordinationv1.Lease] {
	return see.Lease("kube-system", "kube-controller-manager")
}

func managerDown(see *cluster.View, o stuck.Object, lease coordinationv1.Lease) stuck.Finding {
	holder := "nobody"
	if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		holder = *lease.Spec.HolderIdentity
	}
	f := stuck.Finding{
		Summary:   "kube-controller-manager is not running",
		Culprit:   stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name},
		Certainty: stuck.Proven,
		Verdict:   stuck.Blocked,
		Explains:  builtIn(o),
		Evidence: []string{fmt.Sprintf("its lease was last renewed %s by %s, and is good for %ds",
			ago(see, lease.Spec.RenewTime.Time), holder, *lease.Spec.LeaseDurationSeconds)},
		Fix: []stuck.Step{
			{What: "see whether its pods run (where the control plane is hosted, ask the provider)", Command: "kubectl -n kube-system get pods -l component=kube-controller-manager -o wide"},
			{What: "see who held its lease and when", Command: "kubectl -n kube-system get lease kube-controller-manager -o yaml"},
		},
		IfForced: stuck.Cost{Leak: stuck.LeakUnknown, What: "everything that the controller would have done first"},
	}
	// Its lease is a proof only where others can renew theirs.
	if newest, silent := owner.LastRenewal(see); newest == nil || silent {
		f.Certainty = stuck.Likely
	}
	if o.IsNamespace() {
		f.IfForced = strandedBy(see.Content(o.Name).Left)
	}
	return f
}
