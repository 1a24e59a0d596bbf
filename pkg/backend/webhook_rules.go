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
func MatchesUpdate(view *cluster.View, hook Webhook, o stuck.Object) bool {
	matches, _ := MatchesRequest(view, hook, admissionv1.Update, o)
	return matches && len(hook.MatchConditions) == 0
}

// MatchesRequest reports whether the rules and selectors of a webhook match a request for
// the object, and whether that is known. Its conditions may keep the request
// from it all the same. Webhooks are not asked about each other
// (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules).
func MatchesRequest(view *cluster.View, hook Webhook, operation admissionv1.OperationType, o stuck.Object) (matches, known bool) {
	if o.Type.Group == admissionv1.GroupName || !rulesMatch(hook.Rules, operation, o.Type) {
		return false, true
	}
	return selectorsMatch(view, hook.NamespaceSelector, hook.ObjectSelector, o)
}

// selectorsMatch reports whether the labels of the object and of its namespace fit, and
// whether they could be read.
func selectorsMatch(view *cluster.View, namespace, object *metav1.LabelSelector, o stuck.Object) (matches, known bool) {
	matches, known = true, true
	if !isEmptySelector(namespace) {
		matches, known = matchesNamespace(view, namespace, o)
	}
	if matches && !isEmptySelector(object) {
		return matchesMetadata(object, view.MetadataOf(o))
	}
	return matches, known
}

// MatchesType reports whether the rules of a webhook match a request for objects of a type.
func MatchesType(hook Webhook, operation admissionv1.OperationType, t stuck.Type) bool {
	return t.Group != admissionv1.GroupName && rulesMatch(hook.Rules, operation, t)
}

func rulesMatch(rules []admissionv1.RuleWithOperations, operation admissionv1.OperationType, t stuck.Type) bool {
	return slices.ContainsFunc(rules, func(r admissionv1.RuleWithOperations) bool { return ruleMatches(r, operation, t) })
}

// ruleMatches reports whether a rule asks for an operation on a type. Its versions are
// not looked at: by default it covers all versions of a type (matchPolicy).
func ruleMatches(r admissionv1.RuleWithOperations, operation admissionv1.OperationType, t stuck.Type) bool {
	scope := admissionv1.ClusterScope
	if t.Namespaced {
		scope = admissionv1.NamespacedScope
	}
	asked := slices.Contains(r.Operations, operation) || slices.Contains(r.Operations, admissionv1.OperationAll)
	group := slices.Contains(r.APIGroups, t.Group) || slices.Contains(r.APIGroups, "*")
	inScope := r.Scope == nil || *r.Scope == admissionv1.AllScopes || *r.Scope == scope
	return asked && group && inScope && slices.ContainsFunc(r.Resources, func(resource string) bool {
		// "pods/*" means the pods themselves too.
		resource, sub, _ := strings.Cut(resource, "/")
		return (resource == t.Resource || resource == "*") && (sub == "" || sub == "*")
	})
}

// matchesNamespace reports whether the labels of the object's namespace fit. A
// Namespace is its own; other objects without one always fit.
func matchesNamespace(view *cluster.View, s *metav1.LabelSelector, o stuck.Object) (matches, known bool) {
	switch {
	case o.IsNamespace():
		return matchesMetadata(s, view.Metadata(o.Type, "", o.Name))
	case o.Namespace == "":
		return true, true
	}
	ns := view.Namespace(o.Namespace)
	return ns.Found() && selectorMatches(s, ns.Value.Labels), ns.Found() || ns.Absent()
}

func matchesMetadata(s *metav1.LabelSelector, m cluster.Answer[metav1.PartialObjectMetadata]) (matches, known bool) {
	return m.Found() && selectorMatches(s, m.Value.Labels), m.Found() || m.Absent()
}

func selectorMatches(s *metav1.LabelSelector, set labels.Set) bool {
	selector, err := metav1.LabelSelectorAsSelector(s)
	return err == nil && selector.Matches(set)
}
