package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ObjectUnreadable makes a type unlistable: the API server cannot decode or decrypt one
// of its stored objects.
var ObjectUnreadable = kit.Cause{
	ID:    "object-unreadable",
	Title: "A stored object cannot be decrypted or decoded",
	Doc: kit.Doc{
		Symptoms: "Lists of the type fail with `StorageError: corrupt object` (before Kubernetes 1.37 with `unable to transform key`, or with only the error of a decoder). The condition `NamespaceDeletionContentFailure` of the namespace repeats this error. The condition `NamespaceContentRemaining` may still report that all content was removed. Other namespaces may get no conditions at all.",
		Why:      "The key that encrypted the object was removed from the encryption configuration of the API server or from the KMS. Or the stored data is not a valid object: the data was written by other software or by another version, or is damaged. One such object makes lists of its type fail. In time, the lists of the namespace controller for other namespaces fail too: then no namespace of the cluster can be deleted.",
		Fix:      "Restore the key, or restore the object from a backup of etcd. As a last resort, delete the object unread, one object at a time (since Kubernetes 1.32; before 1.37 the API server needs the feature gate AllowUnsafeMalformedObjectDeletion).",
		IfForced: "Finalizing a namespace by force leaves behind the object and all other objects of its type: lists still fail. Deleting the object unread skips the cleanup by the controllers of its finalizers, and the content of the object is lost.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && (o.IsNamespace() || o.Is("apiextensions.k8s.io", "CustomResourceDefinition"))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		return kit.FindInListFailures(view, o, func(failure cluster.ListFailure) (stuck.Finding, bool) {
			u, ok := kit.Unreadable(failure)
			if !ok {
				return stuck.Finding{}, false
			}
			return kit.UnreadableFinding(view, o, failure.Type, u), true
		})
	},
}
