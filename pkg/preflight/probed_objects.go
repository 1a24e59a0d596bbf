package preflight

import (
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxDeleteProbes limits how many deletions are tried.
const maxDeleteProbes = 200

// probedObjects are the objects whose deletion is tried: one of each type in a namespace, then
// the selected ones, then the others. left are those for which there are too many.
func probedObjects(d *deleted) (tried, left []stuck.Object) {
	var first, selected, others []stuck.Object
	isRepresented := map[string]bool{}
	for i, o := range d.all {
		switch {
		case o.Deleting() || d.isDeletedByDefinition(o) || o.IsOutOfScope():
		case !isRepresented[o.TypeInNamespace()]:
			isRepresented[o.TypeInNamespace()] = true
			first = append(first, o)
		case i < len(d.selected):
			selected = append(selected, o)
		default:
			others = append(others, o)
		}
	}
	all := slices.Concat(first, selected, others)
	n := min(len(all), maxDeleteProbes)
	return all[:n], all[n:]
}

// addUnprobedGaps adds a gap for objects of which others of their type cannot be an example: a
// webhook or a policy decides about each.
func addUnprobedGaps(view *cluster.View, tried, left []stuck.Object) {
	isRepresented := map[string]bool{}
	for _, o := range tried {
		isRepresented[o.TypeInNamespace()] = true
	}
	for _, group := range stuck.GroupBy(left, stuck.Object.TypeInNamespace) {
		reason := fmt.Sprintf("not sent: more than %d objects are deleted", maxDeleteProbes)
		if isRepresented[group[0].TypeInNamespace()] {
			if !mayBeRejected(view, group[0].Type) {
				continue
			}
			reason += ", and a webhook or a policy may deny the deletion of some of them"
		}
		view.AddGaps(stuck.Gap{Source: "the results of dry runs of the deletion of " + stuck.TallyOf(group).String() + stuck.InNamespace(group[0].Namespace), Error: reason})
	}
}

// deletionPolicy is what is read of a ValidatingAdmissionPolicy.
type deletionPolicy struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		MatchConstraints admissionv1.MatchResources `json:"matchConstraints"`
	} `json:"spec"`
}

// mayBeRejected reports whether a webhook or a policy is asked before objects of a type are
// deleted, or may be since not all of them could be read.
func mayBeRejected(view *cluster.View, t stuck.Type) bool {
	hooks := backend.Webhooks(view)
	complete := hooks.Complete
	if policies, served := view.TypeForKind(schema.GroupKind{Group: admissionv1.GroupName, Kind: "ValidatingAdmissionPolicy"}); served {
		read := cluster.ReadList[deletionPolicy](view, policies, cluster.Selection{})
		complete = complete && read.Complete
		for _, policy := range read.Items {
			hook := backend.Webhook{} // its rules are like those of a policy
			for _, rule := range policy.Spec.MatchConstraints.ResourceRules {
				hook.Rules = append(hook.Rules, rule.RuleWithOperations)
			}
			hooks.Items = append(hooks.Items, hook)
		}
	}
	return !complete || slices.ContainsFunc(hooks.Items, func(h backend.Webhook) bool {
		return backend.MatchesDelete(h, cluster.TypeNameOf(t))
	})
}
