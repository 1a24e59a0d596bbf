package cause

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceContentRemains is the common case of a namespace: objects in it are themselves
// stuck.
var NamespaceContentRemains = kit.Cause{
	ID:    "content-held",
	Title: "Objects in the namespace are themselves stuck",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceFinalizersRemaining` or `NamespaceContentRemaining` is True, and the objects it speaks of have a deletionTimestamp and finalizers of their own.",
		Why:      "A namespace goes last. The namespace controller has deleted its objects and waits for each to disappear, and each waits for the controllers that put finalizers on it.",
		Fix:      "Nothing on the namespace: look at the objects. `explain` names each and follows it to the end.",
		IfForced: "The objects stay in etcd, out of reach while no namespace of that name exists. They come back, still being deleted, when one is created again.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		deleting := view.NamespaceContent(o.Name).Deleting
		if minor, ok := view.MinorVersion(); !ok || minor >= kit.PodsFirstSince {
			deleting = slices.DeleteFunc(slices.Clone(deleting), kit.IsPod)
		}
		if len(deleting) == 0 {
			return unlistedContent(view, o)
		}
		return []stuck.Finding{{
			Message:   "waits for " + kit.CountByType(deleting),
			BlockedBy: kit.CulpritAmong(deleting, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerKubernetes},
			WaitsFor:  deleting,
			OnForce: stuck.Cost{
				Leaves:      stuck.LeakObjects,
				Description: fmt.Sprintf("%s: out of reach in etcd until a namespace %s is created again, then back, still being deleted", kit.CountByType(deleting), o.Name),
			},
		}}
	},
}

// unlistedContent is content that could not be listed, and that the namespace's own
// conditions speak of.
func unlistedContent(view *cluster.View, o stuck.Object) []stuck.Finding {
	ns := view.Namespace(o.Name)
	if view.NamespaceContent(o.Name).Complete || !ns.Found() {
		return nil
	}
	var messages []string
	for _, c := range ns.Value.Status.Conditions {
		remains := c.Type == corev1.NamespaceContentRemaining || c.Type == corev1.NamespaceFinalizersRemaining
		if remains && c.Status == corev1.ConditionTrue {
			messages = append(messages, fmt.Sprintf("its condition %s says: %s", c.Type, c.Message))
		}
	}
	if len(messages) == 0 {
		return nil
	}
	return []stuck.Finding{{
		Message:   "waits for objects in it that could not be listed",
		BlockedBy: o.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Unknown,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence:  messages,
		OnForce:   stuck.Cost{Leaves: stuck.LeakUnknown, Description: "whatever the namespace still holds"},
	}}
}
