package cause

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ContentHeld is the common case of a namespace: objects in it are themselves
// stuck.
var ContentHeld = Cause{
	ID:    "content-held",
	Title: "Objects in the namespace are themselves stuck",
	Doc: Doc{
		Shows: "The namespace's condition `NamespaceFinalizersRemaining` or `NamespaceContentRemaining` is True, and the objects it speaks of have a deletionTimestamp and finalizers of their own.",
		Why:   "A namespace goes last. The namespace controller has deleted its objects and waits for each to disappear, and each waits for the controllers that put finalizers on it.",
		Fix:   "Nothing on the namespace: look at the objects. `explain` names each and follows it to the end.",
		Force: "The objects stay in etcd, out of reach while no namespace of that name exists. They come back, still being deleted, when one is created again.",
	},
	Applies: deletingNamespace,
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		held := see.Content(o.Name).Deleting
		if minor, ok := see.Minor(); !ok || minor >= podsFirstSince {
			held = slices.DeleteFunc(slices.Clone(held), isPod)
		}
		if len(held) == 0 {
			return unseen(see, o)
		}
		return []stuck.Finding{{
			Summary:   "waits for " + tally(held),
			Culprit:   culpritOf(held, o),
			Certainty: stuck.Proven,
			Explains:  []string{finalizerKubernetes},
			WaitsFor:  held,
			IfForced: stuck.Cost{
				Leak: stuck.LeakObjects,
				What: fmt.Sprintf("%s: out of reach in etcd until a namespace %s is created again, then back, still being deleted", tally(held), o.Name),
			},
		}}
	},
}

// unseen is content that could not be listed, and that the namespace's own
// conditions speak of.
func unseen(see *cluster.View, o stuck.Object) []stuck.Finding {
	ns := see.Namespace(o.Name)
	if see.Content(o.Name).Complete || !ns.Found() {
		return nil
	}
	var said []string
	for _, c := range ns.Value.Status.Conditions {
		remains := c.Type == corev1.NamespaceContentRemaining || c.Type == corev1.NamespaceFinalizersRemaining
		if remains && c.Status == corev1.ConditionTrue {
			said = append(said, fmt.Sprintf("its condition %s says: %s", c.Type, c.Message))
		}
	}
	if len(said) == 0 {
		return nil
	}
	return []stuck.Finding{{
		Summary:   "waits for objects in it that could not be listed",
		Culprit:   o.As(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Unknown,
		Explains:  []string{finalizerKubernetes},
		Evidence:  said,
		IfForced:  stuck.Cost{Leak: stuck.LeakUnknown, What: "whatever the namespace still holds"},
	}}
}

// culpritOf is the object waited for, or the namespace that holds them all.
func culpritOf(objects []stuck.Object, where stuck.Object) stuck.Culprit {
	if len(objects) == 1 {
		return objects[0].As()
	}
	return where.As()
}

func isPod(o stuck.Object) bool { return o.Is("", "Pod") }
