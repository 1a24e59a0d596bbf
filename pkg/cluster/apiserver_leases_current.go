package cluster

import (
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Each kube-apiserver has a Lease of this label in kube-system, and renews it
// every ten seconds (kubernetes/pkg/controlplane/apiserver/server.go).
const (
	apiServerLeaseSelector = "apiserver.kubernetes.io/identity=kube-apiserver"
	apiServerLeaseMaxAge   = time.Minute
)

// CurrentAPIServerLeases are the Leases of the API servers that run now. A version without
// them has none; where there are several servers behind one address, as
// hosted control planes have them, nothing else tells.
func (v *View) CurrentAPIServerLeases() List[coordinationv1.Lease] {
	all := ReadList[coordinationv1.Lease](v, leases, Selection{Namespace: metav1.NamespaceSystem, Labels: apiServerLeaseSelector})
	all.Items = slices.DeleteFunc(all.Items, func(l coordinationv1.Lease) bool {
		return l.Spec.RenewTime == nil || v.Now().Sub(l.Spec.RenewTime.Time) > apiServerLeaseMaxAge
	})
	return all
}
