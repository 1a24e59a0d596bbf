package cluster

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// UpdateSelectors are the namespace selectors of the webhooks and policies whose rules match updates of objects of a type. What
// could not be read of them is a gap of the view.
type UpdateSelectors func(view *View, t stuck.Type) []*metav1.LabelSelector

// WithSharedProbes is a view that sends one dry run for similar objects in many namespaces, as far as admission is not shown
// their updates.
func (v *View) WithSharedProbes(selectors UpdateSelectors) *View {
	out := v.Scoped()
	out.options.updateSelectors = selectors
	return out
}

// acceptedElsewhere is the result of the dry run that stands for similar objects in many namespaces. It does so only for custom
// types, since admission plugins such as LimitRanger judge a Pod by what else is in its namespace; only where no webhook and no
// policy is shown the update in either namespace; and only if it was accepted: a rejection is said of no object in a namespace in
// which nothing was tried.
func (v *View) acceptedElsewhere(o stuck.Object) (ProbeResult, bool) {
	first, ok := v.options.diagnosed.everywhere[similarKey(o)]
	if !ok || first.UID == o.UID || stuck.IsBuiltInGroup(o.Type.Group) || !v.mayPatchAllNamespaces(o.Type) || !v.isUpdateUnseen(first) || !v.isUpdateUnseen(o) {
		return ProbeResult{}, false
	}
	// Aside: whether the dry run fails is asked again, of an object in the same namespace.
	aside := v.Scoped()
	aside.options.aside = true
	result := aside.sendProbe(first)
	result.Representative = true
	return result, result.Accepted
}

// isUpdateUnseen reports whether no webhook and no policy is shown an update of the object. What could not be read is not
// taken for absent, and is no gap either: then the object is tried itself.
func (v *View) isUpdateUnseen(o stuck.Object) bool {
	if v.options.updateSelectors == nil {
		return false
	}
	return memoize(v, "update unseen "+bulkKey(o.Type, o.Namespace), func() bool {
		aside := v.Scoped()
		aside.options.aside = true
		selectors := memoize(aside, "update selectors "+o.Type.GVR().String(), func() valueWithGaps[[]*metav1.LabelSelector] {
			return valueWithGaps[[]*metav1.LabelSelector]{aside.options.updateSelectors(aside, o.Type), aside.Gaps()}
		})
		for _, selector := range selectors.value {
			if aside.maySelectNamespace(selector, o.Namespace) {
				return false
			}
		}
		return len(selectors.gaps) == 0
	})
}

// maySelectNamespace reports whether a selector matches the labels of a namespace, or may.
func (v *View) maySelectNamespace(s *metav1.LabelSelector, namespace string) bool {
	if s == nil || namespace == "" {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(s)
	ns := v.Namespace(namespace)
	return err != nil || !ns.Found() || selector.Matches(labels.Set(ns.Value.Labels))
}
