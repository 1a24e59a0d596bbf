package cause

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// crossNamespaceDelay is how long an owner without dependents in its namespace is stuck
// before the other namespaces are searched for them.
const crossNamespaceDelay = 5 * time.Second

// OwnerReferencesAcrossNamespaces is an owner that waits for dependents in a namespace
// where it cannot own anything.
var OwnerReferencesAcrossNamespaces = kit.Cause{
	ID:    "owner-in-another-namespace",
	Title: "An object in another namespace has an invalid owner reference to the object",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`. No object in its namespace has an owner reference to it, but an object in another namespace does, by uid. That object has a Warning event `OwnerRefInvalidNamespace`.",
		Why:      "Owner references are valid only within a namespace, but some controllers set them across namespaces. The garbage collector considers such an owner absent and deletes the dependent immediately. The garbage collector also counts the dependent among the dependents that the owner waits for (kubernetes/pkg/controller/garbagecollector/graph_builder.go compares only the uid).",
		Fix:      "Unblock the dependent, or remove its owner reference, which has no effect.",
		IfForced: "Nothing is left behind: the owner reference has no effect.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Namespace != "" && kit.DeletingWith(metav1.FinalizerDeleteDependents)(o)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if o.StuckDuration(view.Now()) < crossNamespaceDelay || len(kit.BlockingDependents(view.Dependents(o), o).Items) > 0 {
			return nil
		}
		dependents := kit.BlockingDependents(view.CrossNamespaceDependents(o), o).Items
		if len(dependents) == 0 {
			return nil
		}
		return []stuck.Finding{crossNamespaceFinding(o, dependents)}
	},
}

func crossNamespaceFinding(o stuck.Object, dependents []stuck.Object) stuck.Finding {
	slices.SortFunc(dependents, stuck.Compare)
	deleting, left := kit.SplitByDeleting(dependents)
	from := "another namespace"
	if dependents[0].Namespace == "" {
		from = "an object that is in no namespace"
	}
	f := stuck.Finding{
		Message:   "invalid owner reference from " + from + ": " + kit.CountByType(dependents) + namespaceClause(dependents),
		BlockedBy: kit.CulpritAmong(dependents, o),
		Certainty: stuck.Confirmed,
		Explains:  []string{metav1.FinalizerDeleteDependents},
		WaitsFor:  deleting,
		Evidence:  []string{"an owner reference across namespaces is not valid, but the garbage collector waits for the dependent"},
		OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "the owner reference has no effect"},
	}
	if len(deleting) == 0 {
		f.Verdict = stuck.Blocked
	}
	for _, s := range append(left, deleting...) {
		if len(f.Steps) == 2 {
			break
		}
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionChange,
			Description: fmt.Sprintf("remove the owner reference of %s%s to %s, and no other", s.Ref(), namespaceClause([]stuck.Object{s}), o.RefInNamespace()),
			Command:     kit.RemoveOwnerReferences(s, func(w stuck.OwnerReference) bool { return w.UID == o.UID }),
		})
	}
	return f
}

// namespaceClause is the namespace of the objects, where they share one.
func namespaceClause(objects []stuck.Object) string {
	for _, o := range objects {
		if o.Namespace != objects[0].Namespace {
			return " in several namespaces"
		}
	}
	return stuck.InNamespace(objects[0].Namespace)
}
