package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceSpecFinalizer is an entry in spec.finalizers that the namespace
// controller did not put there and will not remove.
var NamespaceSpecFinalizer = kit.Cause{
	ID:    "namespace-spec-finalizer",
	Title: "spec.finalizers of the namespace has an entry other than kubernetes",
	Doc: kit.Doc{
		Symptoms: "`spec.finalizers` of the namespace has an entry other than `kubernetes`. The content of the namespace is deleted, its conditions report no problem, but the namespace still exists.",
		Why:      "The namespace controller removes only its own entry, `kubernetes`. Any other entry was added through the finalize subresource, by another controller (old OpenShift used `openshift.io/origin`) or by mistake.",
		Fix:      "Find the controller that uses the entry and let it finish. An ordinary edit cannot remove the entry: only the finalize subresource can.",
		IfForced: "The cleanup by that controller is skipped. Once the content is deleted, little is left behind.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, name := range o.SpecFinalizers {
			if name == kit.FinalizerKubernetes || slices.Contains(o.Finalizers, name) {
				continue
			}
			findings = append(findings, stuck.Finding{
				Message:   fmt.Sprintf("spec.finalizers has %s, whose controller is not known", name),
				BlockedBy: o.Culprit(),
				Certainty: stuck.Confirmed,
				Verdict:   stuck.Unknown,
				Explains:  []string{name},
				Evidence: []string{
					"the namespace controller removes only its own entry, kubernetes",
					"an ordinary edit or patch leaves spec.finalizers as it is; only the finalize subresource changes it",
				},
				Steps: []stuck.Step{{
					Action:      stuck.ActionCheck,
					Description: "find the software that uses " + name,
					Command:     stuck.Shellf("kubectl get namespace %s -o yaml --show-managed-fields", o.Name),
				}},
				OnForce: stuck.UnknownCost(name),
			})
		}
		return findings
	},
}
