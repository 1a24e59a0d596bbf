package kit

import (
	"fmt"
	"slices"
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

// ConversionWebhookFinding is a custom type that cannot be listed, because its
// conversion webhook does not answer, or refuses an object.
func ConversionWebhookFinding(view *cluster.View, failure cluster.ListFailure) stuck.Finding {
	if c, ok := apitext.ParseConversionFailure(failure.Err); ok && c.Refused {
		return conversionRefusedFinding(view, failure.Type, c)
	}
	name := failure.Type.GVR().GroupResource().String()
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: its conversion webhook is down", name),
		BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence: []string{
			fmt.Sprintf("listing %s fails: %s", name, apitext.ErrorMessage(failure.Err)),
			"the stored objects are intact, though the API server may call them corrupt",
		},
		Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: "see which webhook converts it", Command: stuck.Shellf("kubectl get crd %s -o jsonpath={.spec.conversion}", name)}},
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakUnknown,
			Description: fmt.Sprintf("the %s in it, unread, and whatever they stand for outside the cluster", name),
		},
	}
	crd := view.CRD(name)
	if !crd.Found() || crd.Value.Spec.Conversion.Strategy != "Webhook" {
		return f
	}
	if s := crd.Value.Spec.Conversion.Webhook.ClientConfig.Service; s != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *s)...)
		f.Steps = append(f.Steps, backend.ServiceRepairSteps(view, *s)...)
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action: stuck.ActionChange,
		Description: fmt.Sprintf("only if its software is gone for good and its versions differ in nothing but their name (stored: %s), do without the webhook",
			strings.Join(crd.Value.Status.StoredVersions, ", ")),
		Command: stuck.Shellf(`kubectl patch crd %s --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`, name),
	})
	return f
}

// conversionRefusedFinding is a conversion webhook that answers, and refuses an object.
func conversionRefusedFinding(view *cluster.View, t stuck.Type, c apitext.ConversionFailure) stuck.Finding {
	name := t.String()
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: its conversion webhook refuses an object", name),
		BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence:  []string{"the conversion webhook answers, and refuses: " + c.Message},
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakUnknown,
			Description: fmt.Sprintf("the %s in it, unread, and whatever they stand for outside the cluster", name),
		},
	}
	if len(c.Keys) > 0 {
		f.Evidence = append(f.Evidence, "the object is in etcd as "+c.Keys[0]+", and is intact, though the API server may call it corrupt")
		namespace, object := apitext.ParseEtcdKey(t, c.Keys[0])
		f.Message = fmt.Sprintf("%s cannot be listed: its conversion webhook refuses %s/%s", name, t.Singular(), object)
		if more := len(c.Keys) - 1; more > 0 {
			f.Message += fmt.Sprintf(" and %d more", more)
		}
		f.BlockedBy = stuck.Culprit{Kind: t.Kind, Namespace: namespace, Name: object}
		f.Steps = correctStoredStep(view, t, c.Version, namespace, object)
	}
	f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionCheck, Description: "or have its conversion webhook accept the object: see which one it is", Command: stuck.Shellf("kubectl get crd %s -o jsonpath={.spec.conversion}", name)})
	return f
}

// correctStoredStep is the step that corrects an object in the version in which it is
// stored, which needs no conversion. It is of use where that version is served.
func correctStoredStep(view *cluster.View, t stuck.Type, version, namespace, object string) []stuck.Step {
	crd := view.CRD(t.String())
	served := crd.Found() && slices.ContainsFunc(crd.Value.Spec.Versions, func(v cluster.CRDVersion) bool { return v.Name == version && v.Served })
	if !served || !IsValidName(object) || namespace != "" && !IsValidName(namespace) {
		return nil
	}
	return []stuck.Step{{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("correct what the webhook refuses, in %s, the version in which the object is stored", version),
		Command:     stuck.Kubectlf(namespace, "edit %s %s", t.Resource+"."+version+"."+t.Group, object),
	}}
}
