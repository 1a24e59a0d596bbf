package cause

import (
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ObjectUnreadable makes a type unlistable: one object of it lies in storage
// as something that the API server cannot read.
var ObjectUnreadable = kit.Cause{
	ID:    "object-unreadable",
	Title: "An object in storage cannot be decrypted or decoded",
	Doc: kit.Doc{
		Symptoms: "Lists of the type fail with `StorageError: corrupt object` (before Kubernetes 1.37 with `unable to transform key`, or with a decoder's bare words), and the namespace's condition `NamespaceDeletionContentFailure` repeats them. Its condition `NamespaceContentRemaining` may say all the same that all content was removed. Other namespaces, with nothing wrong in them, may get no conditions at all.",
		Why:      "The key that the object was encrypted with is gone from the API server's encryption configuration or from the KMS, or what is stored is no object: written by other software, by another version, or damaged. One such object makes lists of its type fail, in time also those of the namespace controller for other namespaces: then no namespace of the cluster can go.",
		Fix:      "Put the lost key back, or restore the object from a backup of etcd. Only when that is impossible can it be deleted unread, one object at a time (since Kubernetes 1.32; before 1.37 the API server needs the feature gate AllowUnsafeMalformedObjectDeletion).",
		IfForced: "A namespace that is forced away leaves the object where it is, and all others of its type: the lists still fail. Deleting the object unread skips its finalizers and all that they stand for, and what it held is lost.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && (o.IsNamespace() || o.Is("apiextensions.k8s.io", "CustomResourceDefinition"))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		findings := unreadableFindings(view, o, kit.ListFailures(view, o))
		if len(findings) == 0 && o.IsNamespace() && hasNoConditions(view, o) {
			return unreadableFindings(view, o, view.UnlistableTypes())
		}
		return findings
	},
}

// conditionDelay is how late the conditions of a namespace may come before it
// is worth a look at the whole cluster.
const conditionDelay = 20 * time.Second

// hasNoConditions reports whether the namespace controller is alive and has not said a
// word of the namespace: it may hang in the list of a type that is unreadable
// elsewhere, which is refused as "storage is (re)initializing" and repeated
// without end (apiserver/pkg/storage/cacher).
func hasNoConditions(view *cluster.View, o stuck.Object) bool {
	ns := view.Namespace(o.Name)
	return ns.Found() && len(ns.Value.Status.Conditions) == 0 && o.StuckDuration(view.Now()) > conditionDelay &&
		kit.ControllerManagerRuns(view)
}

func unreadableFindings(view *cluster.View, o stuck.Object, failures []cluster.ListFailure) []stuck.Finding {
	var findings []stuck.Finding
	for _, failure := range failures {
		if u, ok := apitext.ParseUnreadableError(failure.Err); ok {
			findings = append(findings, kit.UnreadableFinding(view, o, failure.Type, u))
		}
	}
	return findings
}
