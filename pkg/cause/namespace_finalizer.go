package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceFinalizer is an ordinary finalizer on the Namespace object itself.
var NamespaceFinalizer = kit.Cause{
	ID:    "namespace-finalizer",
	Title: "The namespace itself carries a finalizer",
	Doc: kit.Doc{
		Symptoms: "`metadata.finalizers` of the namespace is not empty. Its conditions are clean, `spec.finalizers` may be empty already, and the finalize subresource does not help.",
		Why:      "Besides `spec.finalizers`, a namespace can carry ordinary finalizers like any object. Rancher, kopf operators and the hierarchical namespace controller use them.",
		Fix:      "Let the controller of that finalizer finish: reconnect or reinstall it.",
		IfForced: "What that controller keeps of the namespace elsewhere goes stale: role bindings, projects, quotas.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsDeletingNamespace(o) && len(o.Finalizers) > 0 },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, name := range o.Finalizers {
			findings = append(findings, stuck.Finding{
				Message:   fmt.Sprintf("carries finalizer %s itself", name),
				BlockedBy: o.Culprit(),
				Certainty: stuck.Confirmed,
				// Whose it is, and what is wrong with that, is for the causes
				// that look at its owner.
				Evidence: append(controller.SetByEvidence(view, o, name), "it is in metadata.finalizers, which the finalize subresource does not clear"),
			})
		}
		return findings
	},
}
