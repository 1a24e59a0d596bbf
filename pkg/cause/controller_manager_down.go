package cause

import (
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// KubeControllerManagerDown stops every deletion that Kubernetes itself has to
// finish.
var KubeControllerManagerDown = Cause{
	ID:    "controller-manager-down",
	Title: "kube-controller-manager is not running",
	Doc: Doc{
		Symptoms: "Namespaces are Terminating without any conditions, or with old ones; nothing is garbage-collected; new Deployments get no ReplicaSets. The Lease kube-system/kube-controller-manager is no longer renewed.",
		Why:      "Namespaces, owners that wait for their dependents, claims, volumes and the Pods of Jobs are finished by controllers that live in kube-controller-manager. It holds a Lease while it works and renews it every few seconds.",
		Fix:      "Get kube-controller-manager running again: its pod or unit on the control-plane nodes, or the provider's support where the control plane is hosted.",
		IfForced: "Whatever the controller would have done is left undone: the content of a namespace is never deleted, dependents stay, volumes are not checked for users.",
	},
	Applies: func(o stuck.Object) bool { return o.Deleting() && (o.IsNamespace() || len(managerFinalizers(o)) > 0) },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		lease := controllerManagerLease(view)
		if !lease.Found() {
			return nil
		}
		if cluster.LeaseExpired(view, *lease.Value) {
			return []stuck.Finding{controllerManagerDown(view, o, *lease.Value)}
		}
		return nil
	},
}

// managerFinalizers are the finalizers of the object that kube-controller-manager
// removes.
func managerFinalizers(o stuck.Object) []string {
	known := []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents, finalizerClaim, finalizerVolume, finalizerJob}
	var out []string
	for _, f := range slices.Concat(o.Finalizers, o.SpecFinalizers) {
		if slices.Contains(known, f) || o.IsNamespace() && f == finalizerKubernetes {
			out = append(out, f)
		}
	}
	return out
}

func controllerManagerLease(view *cluster.View) cluster.Answer[coordinationv1.Lease] {
	return view.Lease("kube-system", "kube-controller-manager")
}

func controllerManagerDown(view *cluster.View, o stuck.Object, lease coordinationv1.Lease) stuck.Finding {
	holder := "nobody"
	if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		holder = *lease.Spec.HolderIdentity
	}
	f := stuck.Finding{
		Summary:   "kube-controller-manager is not running",
		Culprit:   stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name},
		Certainty: stuck.Proven,
		Verdict:   stuck.Blocked,
		Explains:  managerFinalizers(o),
		Evidence: []string{fmt.Sprintf("its lease was last renewed %s by %s, and is good for %ds",
			ago(view, lease.Spec.RenewTime.Time), holder, *lease.Spec.LeaseDurationSeconds)},
		Fix: []stuck.Step{
			{What: "see whether its pods run (where the control plane is hosted, ask the provider)", Command: "kubectl -n kube-system get pods -l component=kube-controller-manager -o wide"},
			{What: "see who held its lease and when", Command: "kubectl -n kube-system get lease kube-controller-manager -o yaml"},
		},
		IfForced: stuck.Cost{Leak: stuck.LeakUnknown, What: "everything that the controller would have done first"},
	}
	// Its lease is a proof only where others can renew theirs.
	if newest, silent := cluster.NewestAPIServerLease(view); newest == nil || silent {
		f.Certainty = stuck.Likely
	}
	if o.IsNamespace() {
		f.IfForced = namespaceCost(view.NamespaceContent(o.Name).NotDeleted)
	}
	return f
}
