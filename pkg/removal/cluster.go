package removal

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Cluster says which cluster it is.
type Cluster struct {
	// Server is the URL of the API server, and Context what the kubeconfig
	// calls it.
	Server  string
	Context string
	// UID is that of the namespace kube-system, which stays for as long as the
	// cluster does. It is empty where it cannot be read.
	UID string
}

// Identify reads what distinguishes the cluster from any other. A tenant may not be
// allowed to: then its address is all there is.
func (c Cluster) Identify(ctx context.Context, source cluster.Source) (Cluster, error) {
	m, err := source.Metadata(ctx, cluster.NamespaceType, "", "kube-system")
	switch {
	case err == nil:
		c.UID = string(m.UID)
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
	default:
		return c, err
	}
	return c, nil
}

// SameAs reports whether two are one cluster: by their uids, or by the addresses
// where one of them could not be read.
func (c Cluster) SameAs(other Cluster) bool {
	if c.UID != "" && other.UID != "" {
		return c.UID == other.UID
	}
	return c.Server == other.Server
}
