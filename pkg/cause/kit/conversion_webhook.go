package kit

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ListFailures are the types that the deletion of the object needs to list and
// cannot.
func ListFailures(view *cluster.View, o stuck.Object) []cluster.ListFailure {
	if o.IsNamespace() {
		return view.NamespaceContent(o.Name).Failed
	}
	_, failures := view.CustomResources(o.Name)
	return failures
}

// ConversionWebhookFinding is a type that cannot be listed because the conversion
// webhook of its CustomResourceDefinition cannot be used.
func ConversionWebhookFinding(view *cluster.View, failure cluster.ListFailure) stuck.Finding {
	name := failure.Type.GVR().GroupResource().String()
	f := stuck.Finding{
		Summary:   fmt.Sprintf("%s cannot be listed: its conversion webhook is down", name),
		Culprit:   stuck.Culprit{Kind: "CustomResourceDefinition", Name: name},
		Certainty: stuck.Proven,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence: []string{
			fmt.Sprintf("listing %s fails: %s", name, apitext.ErrorMessage(failure.Err)),
			"the stored objects are intact, though the API server may call them corrupt",
		},
		Fix: []stuck.Step{{What: "see which webhook converts it", Command: stuck.Shellf("kubectl get crd %s -o jsonpath={.spec.conversion}", name)}},
		IfForced: stuck.Cost{
			Leak: stuck.LeakUnknown,
			What: fmt.Sprintf("the %s in it, unread, and whatever they stand for outside the cluster", name),
		},
	}
	crd := view.CRD(name)
	if !crd.Found() || crd.Value.Spec.Conversion.Strategy != "Webhook" {
		return f
	}
	if s := crd.Value.Spec.Conversion.Webhook.ClientConfig.Service; s != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *s)...)
		f.Fix = append(f.Fix, backend.ServiceRepairSteps(view, *s)...)
	}
	f.Fix = append(f.Fix, stuck.Step{
		What: fmt.Sprintf("only if its software is gone for good and its versions differ in nothing but their name (stored: %s), do without the webhook",
			strings.Join(crd.Value.Status.StoredVersions, ", ")),
		Command: stuck.Shellf(`kubectl patch crd %s --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`, name),
	})
	return f
}
