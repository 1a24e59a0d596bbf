package backend

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Mutator is a webhook or a MutatingAdmissionPolicy that may change an object when
// it is updated.
type Mutator struct {
	Culprit stuck.Culprit
	// Ref is what it is called in a sentence.
	Ref string
	// Conditional says that it has match conditions, so that an update may pass by it.
	Conditional bool
	// Fix takes updates out of its rules.
	Fix stuck.Step
}

// admissionPolicy is a policy of a kind, in the part that is read.
type admissionPolicy struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		MatchConstraints admissionv1.MatchResources   `json:"matchConstraints"`
		MatchConditions  []admissionv1.MatchCondition `json:"matchConditions"`
	} `json:"spec"`
}

// admissionPolicyBinding is what puts a policy in force.
type admissionPolicyBinding struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		PolicyName     string                     `json:"policyName"`
		MatchResources admissionv1.MatchResources `json:"matchResources"`
	} `json:"spec"`
}

// MutatorsOfUpdate are the webhooks and the policies whose rules and selectors match
// updates of the object and that may change it.
func MutatorsOfUpdate(view *cluster.View, o stuck.Object) cluster.List[Mutator] {
	hooks := Webhooks(view)
	out := cluster.List[Mutator]{Complete: hooks.Complete}
	for _, h := range hooks.Items {
		if h.ConfigurationType.Kind != mutatingWebhookConfigurations.Kind {
			continue
		}
		matches, known := MatchesRequest(view, h, admissionv1.Update, o)
		out.Complete = out.Complete && known
		if matches {
			out.Items = append(out.Items, webhookMutator(h, o))
		}
	}
	policies := mutatingPolicies(view, o)
	out.Items, out.Complete = append(out.Items, policies.Items...), out.Complete && policies.Complete
	return out
}

func webhookMutator(h Webhook, o stuck.Object) Mutator {
	path := fmt.Sprintf("/webhooks/%d/rules", h.Index)
	return Mutator{
		Culprit:     stuck.Culprit{Kind: h.ConfigurationType.Kind, Name: h.ConfigurationName},
		Ref:         fmt.Sprintf("webhook %s (%s)", h.Name, h.ConfigurationRef),
		Conditional: len(h.MatchConditions) > 0,
		Fix:         excludeUpdatesStep(h.ConfigurationType, h.ConfigurationName, path, h.Rules, o),
	}
}

func mutatingPolicies(view *cluster.View, o stuck.Object) cluster.List[Mutator] {
	t, policies := policiesOfUpdate(view, "MutatingAdmissionPolicy", o)
	out := cluster.List[Mutator]{Complete: policies.Complete}
	for _, p := range policies.Items {
		out.Items = append(out.Items, policyMutator(t, p, o))
	}
	return out
}

// PoliciesOfUpdate are the names of the admission policies of a kind that are in force and whose rules and
// selectors match updates of the object. Their conditions may leave it out.
func PoliciesOfUpdate(view *cluster.View, kind string, o stuck.Object) cluster.List[string] {
	_, policies := policiesOfUpdate(view, kind, o)
	out := cluster.List[string]{Complete: policies.Complete}
	for _, p := range policies.Items {
		out.Items = append(out.Items, p.Name)
	}
	return out
}

// policiesOfUpdate are these policies, and their type.
func policiesOfUpdate(view *cluster.View, kind string, o stuck.Object) (stuck.Type, cluster.List[admissionPolicy]) {
	policyType, served := view.TypeForKind(schema.GroupKind{Group: admissionv1.GroupName, Kind: kind})
	bindingType, bindable := view.TypeForKind(schema.GroupKind{Group: admissionv1.GroupName, Kind: kind + "Binding"})
	if !served || !bindable {
		return policyType, cluster.List[admissionPolicy]{Complete: true}
	}
	policies := cluster.ReadList[admissionPolicy](view, policyType, cluster.Selection{})
	bindings := cluster.ReadList[admissionPolicyBinding](view, bindingType, cluster.Selection{})
	out := cluster.List[admissionPolicy]{Complete: policies.Complete && bindings.Complete}
	for _, p := range policies.Items {
		inForce := false
		for _, b := range bindings.Items {
			if b.Spec.PolicyName == p.Name {
				matches, known := resourcesMatch(view, b.Spec.MatchResources, o, true)
				inForce, out.Complete = inForce || matches, out.Complete && known
			}
		}
		matches, known := resourcesMatch(view, p.Spec.MatchConstraints, o, false)
		out.Complete = out.Complete && known
		if inForce && matches {
			out.Items = append(out.Items, p)
		}
	}
	return policyType, out
}

func policyMutator(t stuck.Type, p admissionPolicy, o stuck.Object) Mutator {
	return Mutator{
		Culprit:     stuck.Culprit{Kind: t.Kind, Name: p.Name},
		Ref:         strings.ToLower(t.Kind) + "/" + p.Name,
		Conditional: len(p.Spec.MatchConditions) > 0,
		Fix:         excludeUpdatesStep(t, p.Name, "/spec/matchConstraints/resourceRules", rulesWithoutResourceNames(p.Spec.MatchConstraints.ResourceRules), o),
	}
}

// resourcesMatch reports whether updates of the object are among what a policy or its
// binding names, and whether that is known. A binding that names no rules takes
// those of its policy.
func resourcesMatch(view *cluster.View, m admissionv1.MatchResources, o stuck.Object, binding bool) (matches, known bool) {
	named := binding && len(m.ResourceRules) == 0 || rulesMatch(rulesWithoutResourceNames(m.ResourceRules), admissionv1.Update, o.Type)
	if !named || rulesMatch(rulesWithoutResourceNames(m.ExcludeResourceRules), admissionv1.Update, o.Type) {
		return false, true
	}
	return selectorsMatch(view, m.NamespaceSelector, m.ObjectSelector, o)
}

// rulesWithoutResourceNames are the rules of a policy without the names of objects in them.
func rulesWithoutResourceNames(named []admissionv1.NamedRuleWithOperations) []admissionv1.RuleWithOperations {
	var out []admissionv1.RuleWithOperations
	for _, r := range named {
		out = append(out, r.RuleWithOperations)
	}
	return out
}

// excludeUpdatesStep is the step that removes updates from the rules that match updates of
// the object. A rule for nothing else is removed; the last is changed first, so that
// the indexes of the others hold.
func excludeUpdatesStep(t stuck.Type, name, path string, rules []admissionv1.RuleWithOperations, o stuck.Object) stuck.Step {
	var patch []string
	for i, r := range slices.Backward(rules) {
		if !ruleMatches(r, admissionv1.Update, o.Type) {
			continue
		}
		patch = append(patch, fmt.Sprintf(`{"op":"test","path":"%s/%d/operations","value":%s}`, path, i, jsonText(r.Operations)))
		if left := operationsExceptUpdate(r.Operations); len(left) > 0 {
			patch = append(patch, fmt.Sprintf(`{"op":"replace","path":"%s/%d/operations","value":%s}`, path, i, jsonText(left)))
		} else {
			patch = append(patch, fmt.Sprintf(`{"op":"remove","path":"%s/%d"}`, path, i))
		}
	}
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("remove UPDATE of %s from the rules of %s/%s", o.Type.Resource, strings.ToLower(t.Kind), name),
		Command:     stuck.Shellf("kubectl patch %s %s --type=json -p '[%s]'", strings.ToLower(t.Kind), name, strings.Join(patch, ",")),
	}
}

// operationsExceptUpdate are the operations of a rule but for updates.
func operationsExceptUpdate(all []admissionv1.OperationType) []admissionv1.OperationType {
	if slices.Contains(all, admissionv1.OperationAll) {
		return []admissionv1.OperationType{admissionv1.Create, admissionv1.Delete, admissionv1.Connect}
	}
	return slices.DeleteFunc(slices.Clone(all), func(o admissionv1.OperationType) bool { return o == admissionv1.Update })
}

func jsonText(operations []admissionv1.OperationType) string {
	text, err := json.Marshal(operations)
	if err != nil {
		return "[]" // strings always marshal
	}
	return string(text)
}
