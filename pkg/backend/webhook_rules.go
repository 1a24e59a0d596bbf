package backend

import (
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// SelectsAllObjects reports whether a webhook is shown all objects of a type and a
// namespace, or none.
func SelectsAllObjects(hook Webhook) bool {
	return len(hook.MatchConditions) == 0 && isEmptySelector(hook.ObjectSelector)
}

func isEmptySelector(s *metav1.LabelSelector) bool {
	return s == nil || len(s.MatchLabels)+len(s.MatchExpressions) == 0
}

// MatchesUpdate reports whether an update of the object is shown to a webhook, by its
// rules. That is not known of one with conditions, which are expressions.
// Webhooks are not asked about each other
// (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules).
func MatchesUpdate(view *cluster.View, hook Webhook, o stuck.Object) bool {
	if len(hook.MatchConditions) > 0 || o.Type.Group == admissionv1.GroupName {
		return false
	}
	return slices.ContainsFunc(hook.Rules, func(r admissionv1.RuleWithOperations) bool { return ruleMatchesUpdate(r, o.Type) }) &&
		(isEmptySelector(hook.NamespaceSelector) || matchesNamespace(view, hook.NamespaceSelector, o)) &&
		(isEmptySelector(hook.ObjectSelector) || matchesMetadata(hook.ObjectSelector, view.MetadataOf(o)))
}

// ruleMatchesUpdate reports whether a rule asks for updates of a type. Its versions are not
// looked at: by default it covers all versions of a type (matchPolicy).
func ruleMatchesUpdate(r admissionv1.RuleWithOperations, t stuck.Type) bool {
	scope := admissionv1.ClusterScope
	if t.Namespaced {
		scope = admissionv1.NamespacedScope
	}
	update := slices.Contains(r.Operations, admissionv1.Update) || slices.Contains(r.Operations, admissionv1.OperationAll)
	group := slices.Contains(r.APIGroups, t.Group) || slices.Contains(r.APIGroups, "*")
	inScope := r.Scope == nil || *r.Scope == admissionv1.AllScopes || *r.Scope == scope
	return update && group && inScope && slices.ContainsFunc(r.Resources, func(resource string) bool {
		// "pods/*" means the pods themselves too.
		resource, sub, _ := strings.Cut(resource, "/")
		return (resource == t.Resource || resource == "*") && (sub == "" || sub == "*")
	})
}

// matchesNamespace reports whether the labels of the object's namespace fit. A
// Namespace is its own; other objects without one always fit.
func matchesNamespace(view *cluster.View, s *metav1.LabelSelector, o stuck.Object) bool {
	switch {
	case o.IsNamespace():
		return matchesMetadata(s, view.Metadata(o.Type, "", o.Name))
	case o.Namespace == "":
		return true
	}
	ns := view.Namespace(o.Namespace)
	return ns.Found() && selectorMatches(s, ns.Value.Labels)
}

func matchesMetadata(s *metav1.LabelSelector, m cluster.Answer[metav1.PartialObjectMetadata]) bool {
	return m.Found() && selectorMatches(s, m.Value.Labels)
}

func selectorMatches(s *metav1.LabelSelector, set labels.Set) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(set)
}
