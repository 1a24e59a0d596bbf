package kit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ConversionWebhookFinding is a custom type that cannot be listed, because its
// conversion webhook fails, or rejects an object.
func ConversionWebhookFinding(view *cluster.View, failure cluster.ListFailure) stuck.Finding {
	c, ok := apitext.ParseConversionFailure(failure.Err)
	if ok && c.Refused {
		return conversionRefusedFinding(view, failure.Type, c)
	}
	name := failure.Type.GVR().GroupResource().String()
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: the conversion webhook fails", name),
		BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: name},
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Steps:     []stuck.Step{{Action: stuck.ActionCheck, Description: "see which webhook converts " + name, Command: stuck.Shellf("kubectl get crd %s -o jsonpath={.spec.conversion}", name)}},
		OnForce:   unlistedCost(name),
	}
	f.Certainty, f.Evidence = conversionEvidence(failure, name, c)
	crd := view.CRD(name)
	if !crd.Found() || crd.Value.Spec.Conversion.Strategy != "Webhook" {
		return f
	}
	if s := crd.Value.Spec.Conversion.Webhook.ClientConfig.Service; s != nil {
		if problems := backend.ServiceProblems(view, *s); len(problems) > 0 {
			f.Message = fmt.Sprintf("%s cannot be listed: the conversion webhook is unreachable", name)
			f.Evidence = append(f.Evidence, problems...)
		}
		f.Steps = append(f.Steps, backend.ServiceRepairSteps(view, *s)...)
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action: stuck.ActionChange,
		Description: fmt.Sprintf("disable the conversion, only if its software was uninstalled and the versions differ in name alone (stored: %s)",
			strings.Join(crd.Value.Status.StoredVersions, ", ")),
		Command: stuck.Shellf(`kubectl patch crd %s --type=merge -p '{"spec":{"conversion":{"strategy":"None","webhook":null}}}'`, name),
	})
	if service := crd.Value.Spec.Conversion.Webhook.ClientConfig.Service; service != nil {
		root := ServiceRoot(view, *service)
		f.Evidence, f.Steps = append(f.Evidence, root.Evidence...), append(root.Steps, f.Steps...)
	}
	return f
}

// conversionEvidence is how the failure is known: from the list itself, or where a dump lacks that from what
// the namespace controller wrote when it last came by.
func conversionEvidence(failure cluster.ListFailure, name string, c apitext.ConversionFailure) (stuck.Certainty, []string) {
	certainty, line := stuck.Confirmed, fmt.Sprintf("listing %s fails: %s", name, cmp.Or(c.Message, apitext.ErrorMessage(failure.Err)))
	if reported := (*cluster.ReportedListError)(nil); errors.As(failure.Err, &reported) {
		certainty, line = stuck.Likely, fmt.Sprintf("the conditions of namespace/%s report that %s", reported.Namespace, line)
	}
	return certainty, []string{line, "the stored objects are intact, although the API server may report them as corrupt"}
}

// unlistedCost is what is left behind of a type whose objects cannot be listed.
func unlistedCost(resource string) stuck.Cost {
	return stuck.Cost{Leaves: stuck.LeakUnknown, Description: "the stored " + resource + " are left behind in etcd, and their cleanup is skipped"}
}

// conversionRefusedFinding is a conversion webhook that runs, and rejects an object.
func conversionRefusedFinding(view *cluster.View, t stuck.Type, c apitext.ConversionFailure) stuck.Finding {
	name := t.String()
	f := stuck.Finding{
		Message:   fmt.Sprintf("%s cannot be listed: the conversion webhook rejects an object", name),
		BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{FinalizerKubernetes, FinalizerCRD},
		Evidence:  []string{"the conversion webhook rejects the object: " + c.Message},
		OnForce:   unlistedCost(name),
	}
	if len(c.Keys) > 0 {
		f.Evidence = append(f.Evidence, "the object is stored in etcd as "+c.Keys[0],
			"the stored object is intact, although the API server may report it as corrupt")
		namespace, object := apitext.ParseEtcdKey(t, c.Keys[0])
		rejected := t.Singular() + "/" + object + stuck.InNamespace(namespace)
		if more := len(c.Keys) - 1; more > 0 {
			rejected += fmt.Sprintf(" and %d more", more)
		}
		f.Message = fmt.Sprintf("the conversion webhook rejects %s, so the type cannot be listed", rejected)
		f.BlockedBy = stuck.Culprit{Kind: t.Kind, Namespace: namespace, Name: object}
		f.Steps = correctStoredStep(view, t, c.Version, namespace, object)
	}
	f.Steps = append(f.Steps, stuck.Step{Action: stuck.ActionCheck, Description: "see which webhook converts " + name + ", if that should accept the object instead", Command: stuck.Shellf("kubectl get crd %s -o jsonpath={.spec.conversion}", name)})
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
		Description: fmt.Sprintf("correct what the webhook rejects, in %s, the version in which the object is stored", version),
		Command:     stuck.Kubectlf(namespace, "edit %s %s", t.Resource+"."+version+"."+t.Group, object),
	}}
}
