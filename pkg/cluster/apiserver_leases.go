package cluster

import coordinationv1 "k8s.io/api/coordination/v1"

// APIServerLeases reads the Leases by which API servers say that they are
// there. Each writes its own every ten seconds, by itself
// (kubernetes/pkg/controlplane/apiserver/server.go, since Kubernetes 1.26).
func (v *View) APIServerLeases() List[coordinationv1.Lease] {
	return ReadList[coordinationv1.Lease](v, leases, Selection{
		Namespace: "kube-system", Labels: "apiserver.kubernetes.io/identity=kube-apiserver",
	})
}
