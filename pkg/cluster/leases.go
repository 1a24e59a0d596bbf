package cluster

import (
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Leases reads the Leases of a namespace.
func (v *View) Leases(namespace string) List[coordinationv1.Lease] {
	return ReadList[coordinationv1.Lease](v, LeaseType, Selection{Namespace: namespace})
}

// LeaderElectionLeases are the Leases by which somebody leads, everywhere where the
// namespace is empty. Those that only tell that somebody lives, such as kubelets
// and API servers, say neither since when nor how often they changed hands
// (k8s.io/component-helpers/apimachinery/lease); those of kubelets, one for each
// node, are not even read.
func (v *View) LeaderElectionLeases(namespace string) List[coordinationv1.Lease] {
	sel := Selection{Namespace: namespace}
	if namespace == "" {
		sel.Fields = "metadata.namespace!=" + corev1.NamespaceNodeLease
	}
	all := ReadList[coordinationv1.Lease](v, LeaseType, sel)
	all.Items = slices.DeleteFunc(all.Items, func(l coordinationv1.Lease) bool {
		return l.Spec.AcquireTime == nil && l.Spec.LeaseTransitions == nil
	})
	return all
}

// LeaderForLifeLocks are the ConfigMaps of a namespace that a Pod holds as a lock for life,
// as operator-lib makes them: owned by the Pod that leads. Their data is not
// read.
func (v *View) LeaderForLifeLocks(namespace string) List[stuck.Object] {
	all := objectsOf(v.survey("locks "+namespace, SurveyRequest{
		Types: []stuck.Type{ConfigMapType}, Selection: Selection{Namespace: namespace}, Keep: func(o stuck.Object) bool {
			return slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool { return w.Kind == "Pod" })
		},
	}))
	return all
}

// PodExists reports whether a Pod is there.
func (v *View) PodExists(namespace, name string) (exists, known bool) {
	m := v.Metadata(PodType, namespace, name)
	return m.Found(), m.Found() || m.Absent()
}
