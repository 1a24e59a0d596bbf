package backend

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// UpdateSelectors are the namespace selectors of the webhooks and policies whose rules match updates of objects of a type. Whether
// a policy is bound, and which objects any of them selects, is left out: it may be shown the update.
func UpdateSelectors(view *cluster.View, t stuck.Type) []*metav1.LabelSelector {
	var out []*metav1.LabelSelector
	for _, hook := range Webhooks(view).Items {
		if MatchesType(hook, admissionv1.Update, t) {
			out = append(out, hook.NamespaceSelector)
		}
	}
	for _, kind := range []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"} {
		policyType, served := view.TypeForKindOrGap(schema.GroupKind{Group: admissionv1.GroupName, Kind: kind})
		if !served {
			continue
		}
		for _, p := range cluster.ReadList[admissionPolicy](view, policyType, cluster.Selection{}).Items {
			if rulesMatch(rulesWithoutResourceNames(p.Spec.MatchConstraints.ResourceRules), admissionv1.Update, t) {
				out = append(out, p.Spec.MatchConstraints.NamespaceSelector)
			}
		}
	}
	return out
}
