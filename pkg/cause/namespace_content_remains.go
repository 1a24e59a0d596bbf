package cause

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceContentRemains is the common case of a namespace: objects in it are
// stuck.
var NamespaceContentRemains = kit.Cause{
	ID:    "content-held",
	Title: "Objects in the namespace are stuck",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceFinalizersRemaining` or `NamespaceContentRemaining` is True, and the objects that it reports have a deletionTimestamp and finalizers.",
		Why:      "A namespace is deleted last. The namespace controller issued the deletion of all objects in the namespace, and waits until each object is removed from etcd. Each object waits for the controllers of its finalizers.",
		Fix:      "Look at the objects, not at the namespace: `explain` names each object and its cause.",
		IfForced: "The objects are left behind in etcd, and cannot be reached while no namespace of that name exists. When the namespace is recreated, the objects reappear, still being deleted.",
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
			Message:   kit.NotDeletedText(deleting),
			BlockedBy: kit.CulpritAmong(deleting, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerKubernetes},
			WaitsFor:  deleting,
			OnForce: stuck.Cost{
				Leaves:      stuck.LeakObjects,
				Description: fmt.Sprintf("left behind in etcd until namespace %s is recreated: %s", o.Name, kit.CountByType(deleting)),
			},
		}}
	},
}

// unlistedContent is content that could not be listed, and that the conditions of the
// namespace report.
func unlistedContent(view *cluster.View, o stuck.Object) []stuck.Finding {
	ns := view.Namespace(o.Name)
	if view.NamespaceContent(o.Name).Complete || !ns.Found() {
		return nil
	}
	var messages []string
	for _, c := range ns.Value.Status.Conditions {
		remains := c.Type == corev1.NamespaceContentRemaining || c.Type == corev1.NamespaceFinalizersRemaining
		if remains && c.Status == corev1.ConditionTrue {
			messages = append(messages, fmt.Sprintf("condition %s: %s", c.Type, c.Message))
		}
	}
	if len(messages) == 0 {
		return nil
	}
	return []stuck.Finding{{
		Message:   "objects in the namespace remain, and could not be listed",
		BlockedBy: o.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Unknown,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence:  messages,
		OnForce:   stuck.Cost{Leaves: stuck.LeakUnknown, Description: "objects that could not be listed are left behind in etcd"},
	}}
}
