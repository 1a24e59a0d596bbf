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

// CurrentAPIServerLeases are the Leases of the API servers that run now.
func (v *View) CurrentAPIServerLeases() List[Lease] {
	all := v.APIServerLeases()
	all.Items = slices.DeleteFunc(all.Items, func(l Lease) bool {
		return l.Spec.RenewTime == nil || l.Age() > apiServerLeaseMaxAge
	})
	return all
}

// HasSeveralAPIServers reports whether there may be more than one API server, so that
// what one of them counts is not all. It is false only where exactly one is known.
func HasSeveralAPIServers(view *View) bool { return SeveralAPIServersReason(view) != "" }

// SeveralAPIServersReason is why there may be more than one API server, empty where exactly
// one is known. Addresses alone do not tell: several servers may share one, as those
// of hosted control planes do. So a Lease has to be current: without one (a version
// before 1.26, the feature gate APIServerIdentity switched off, or Leases that
// cannot be written) the number is not known.
func SeveralAPIServersReason(view *View) string {
	slices, servers := view.EndpointSlices(corev1.NamespaceDefault, "kubernetes"), view.CurrentAPIServerLeases()
	addresses := 0
	for _, s := range slices.Items {
		for _, e := range s.Endpoints {
			addresses += len(e.Addresses)
		}
	}
	switch {
	case addresses > 1 || len(servers.Items) > 1:
		return "several API servers run"
	case !slices.Complete || !servers.Complete:
		return "the number of API servers is not known"
	case len(servers.Items) == 0:
		return "the number of API servers is not known (no API server has a current Lease)"
	}
	return ""
}
