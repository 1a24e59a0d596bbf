package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDVersionRemoved makes a custom type unlistable: an object is stored in a version that was removed from its
// CustomResourceDefinition.
var CRDVersionRemoved = kit.Cause{
	ID:    "stored-version-removed",
	Title: "A custom type cannot be listed because the version of a stored object was removed",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and ends with `request to convert CR from an invalid group/version`. `kubectl get` of that type fails with the same error. Since Kubernetes 1.37 the error also says `StorageError: corrupt object`.",
		Why:      "An upgrade or a rollback removed a version from the CustomResourceDefinition while objects were stored in that version. The API server cannot convert these objects. One such object makes lists of its type fail. The objects are intact.",
		Fix:      "Add the version to the CustomResourceDefinition again, at least with `served: false`. Write each object once before the version is removed again.",
		IfForced: "The custom resources are left behind in etcd, and their cleanup is skipped.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && (o.IsNamespace() || o.Is("apiextensions.k8s.io", "CustomResourceDefinition"))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		return kit.FindInListFailures(view, o, func(failure cluster.ListFailure) (stuck.Finding, bool) {
			return kit.RemovedVersionFinding(view, failure)
		})
	},
}
