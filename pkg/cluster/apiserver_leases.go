package cluster

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIServerLeases reads the Leases by which API servers say that they are
// there. Each writes its own every ten seconds, by itself
// (kubernetes/pkg/controlplane/apiserver/server.go, since Kubernetes 1.26).
func (v *View) APIServerLeases() List[Lease] {
	return v.leases(Selection{Namespace: metav1.NamespaceSystem, Labels: apiServerLeaseSelector})
}

// Each kube-apiserver has a Lease of this label in kube-system, and renews it
// every ten seconds (kubernetes/pkg/controlplane/apiserver/server.go).
const (
	apiServerLeaseSelector = "apiserver.kubernetes.io/identity=kube-apiserver"
	apiServerLeaseMaxAge   = time.Minute
)

// CurrentAPIServerLeases are the Leases of the API servers that run now. A version without
// them has none; where there are several servers behind one address, as
// hosted control planes have them, nothing else tells.
func (v *View) CurrentAPIServerLeases() List[Lease] {
	all := v.APIServerLeases()
	all.Items = slices.DeleteFunc(all.Items, func(l Lease) bool {
		return l.Spec.RenewTime == nil || l.Age() > apiServerLeaseMaxAge
	})
	return all
}

// HasSeveralAPIServers reports whether there may be more than one API server: by their
// addresses, which may be one for all of them, and by their leases.
func HasSeveralAPIServers(view *View) bool {
	slices, servers := view.EndpointSlices(corev1.NamespaceDefault, "kubernetes"), view.CurrentAPIServerLeases()
	addresses := 0
	for _, s := range slices.Items {
		for _, e := range s.Endpoints {
			addresses += len(e.Addresses)
		}
	}
	return !slices.Complete || !servers.Complete || addresses > 1 || len(servers.Items) > 1
}
