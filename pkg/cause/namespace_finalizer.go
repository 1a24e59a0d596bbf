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
	Title: "The namespace has a finalizer in metadata",
	Doc: kit.Doc{
		Symptoms: "`metadata.finalizers` of the namespace is not empty. The conditions of the namespace report no problem, `spec.finalizers` may be empty already, and the finalize subresource does not help.",
		Why:      "Besides `spec.finalizers`, a namespace can have ordinary finalizers like any object. Rancher, kopf operators and the hierarchical namespace controller use them.",
		Fix:      "Reconnect or reinstall the controller of the finalizer, and let it finish.",
		IfForced: "Data that the controller stores elsewhere for the namespace is left behind: role bindings, projects, quotas.",
	},
	Applies: func(o stuck.Object) bool { return kit.IsDeletingNamespace(o) && len(o.Finalizers) > 0 },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, name := range o.Finalizers {
			findings = append(findings, stuck.Finding{
				Message:   fmt.Sprintf("the namespace has finalizer %s in metadata", name),
				BlockedBy: o.Culprit(),
				Certainty: stuck.Confirmed,
				// What its controller is, and what is wrong with that, is for the
				// causes of controllers.
				Evidence: append([]string{"the finalizer is in metadata.finalizers, which the finalize subresource does not clear"}, controller.SetByEvidence(view, o, name)...),
			})
		}
		return findings
	},
}
