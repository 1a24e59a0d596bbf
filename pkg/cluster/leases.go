package cluster

import (
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Lease reads a Lease.
func (v *View) Lease(namespace, name string) Answer[Lease] {
	answer := Read[coordinationv1.Lease](v, LeaseType, namespace, name)
	if !answer.Found() {
		return Answer[Lease]{absent: answer.absent, ReadAt: answer.ReadAt}
	}
	return Answer[Lease]{ReadAt: answer.ReadAt, Value: &Lease{
		Lease: *answer.Value, ReadAt: answer.ReadAt,
		reread: func(v *View) Answer[Lease] { return v.Lease(namespace, name) },
	}}
}

// Leases reads the Leases of a namespace.
func (v *View) Leases(namespace string) List[Lease] {
	return v.leases(Selection{Namespace: namespace})
}

// LeaderElectionLeases are the Leases by which somebody leads, everywhere where the
// namespace is empty. Those that only tell that somebody runs, such as kubelets
// and API servers, say neither since when nor how often they changed hands
// (k8s.io/component-helpers/apimachinery/lease); those of kubelets, one for each
// node, are not even read.
func (v *View) LeaderElectionLeases(namespace string) List[Lease] {
	sel := Selection{Namespace: namespace}
	if namespace == "" {
		sel.Fields = "metadata.namespace!=" + corev1.NamespaceNodeLease
	}
	all := v.leases(sel)
	all.Items = slices.DeleteFunc(all.Items, func(l Lease) bool {
		return l.Spec.AcquireTime == nil && l.Spec.LeaseTransitions == nil
	})
	return all
}

// leaseIn is one Lease of a list.
func leaseIn(all List[Lease], namespace, name string) Answer[Lease] {
	for i, l := range all.Items {
		if l.Namespace == namespace && l.Name == name {
			return Answer[Lease]{Value: &all.Items[i], ReadAt: all.ReadAt}
		}
	}
	return Answer[Lease]{absent: all.Complete, ReadAt: all.ReadAt}
}

func (v *View) leases(sel Selection) List[Lease] {
	all := ReadList[coordinationv1.Lease](v, LeaseType, sel)
	out := List[Lease]{Complete: all.Complete, ReadAt: all.ReadAt}
	for _, l := range all.Items {
		out.Items = append(out.Items, Lease{Lease: l, ReadAt: all.ReadAt, reread: func(v *View) Answer[Lease] {
			return leaseIn(v.leases(sel), l.Namespace, l.Name)
		}})
	}
	return out
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
