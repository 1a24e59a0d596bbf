package kit

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// PodsFirstSince is the minor version in which the namespace controller began
// to delete Pods before anything else (OrderedNamespaceDeletion).
const PodsFirstSince = 33

// ReportsNoContentLeft reports whether the namespace controller reports that no content
// is left.
func ReportsNoContentLeft(view *cluster.View, namespace string) bool {
	ns := view.Namespace(namespace)
	if !ns.Found() {
		return false
	}
	for _, c := range ns.Value.Status.Conditions {
		if c.Type == "NamespaceContentRemaining" && c.Status == "False" {
			return true
		}
	}
	return false
}

// IsTerminatingNamespaceNamed reports whether a namespace is known to be being deleted: then
// nothing can be created in it. An object of the whole cluster is in none.
func IsTerminatingNamespaceNamed(view *cluster.View, namespace string) bool {
	if namespace == "" {
		return false
	}
	ns := view.Namespace(namespace)
	return ns.Found() && ns.Value.DeletionTimestamp != nil
}
