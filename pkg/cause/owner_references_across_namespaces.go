package cause

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// crossNamespaceDelay is how long an owner without any dependents where they belong is
// left in peace before the rest of the cluster is searched for them.
const crossNamespaceDelay = 5 * time.Second

// OwnerReferencesAcrossNamespaces is an owner that waits for dependents which live
// where it cannot own anything.
var OwnerReferencesAcrossNamespaces = kit.Cause{
	ID:    "owner-in-another-namespace",
	Title: "An owner waits for dependents in another namespace, where it cannot own anything",
	Doc: kit.Doc{
		Symptoms: "The object has the finalizer `foregroundDeletion`. Nothing in its namespace names it as owner, but an object in another namespace does, by its uid. A Warning event `OwnerRefInvalidNamespace` stands on that object.",
		Why:      "Owner references hold within a namespace. Some controllers write them across namespaces all the same. The garbage collector calls such an owner absent and deletes the dependent at once, and yet counts it among those that the owner waits for (kubernetes/pkg/controller/garbagecollector/graph_builder.go goes by uid alone).",
		Fix:      "Free the dependent, or take its owner reference off: it means nothing.",
		IfForced: "Nothing: what lives in the other namespace is not the owner's.",
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
	f := stuck.Finding{
		Message:   "waits for dependents that it cannot own: " + kit.CountByType(dependents) + namespaceClause(dependents),
		BlockedBy: kit.CulpritAmong(dependents, o),
		Certainty: stuck.Confirmed,
		Explains:  []string{metav1.FinalizerDeleteDependents},
		WaitsFor:  deleting,
		Evidence:  []string{"an owner reference to another namespace is not valid, and the garbage collector waits for it all the same"},
		OnForce:   stuck.Cost{Leaves: stuck.LeakNothing, Description: "what lives in another namespace is not its own"},
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
			Description: "take the owner references off " + s.Ref() + namespaceClause([]stuck.Object{s}),
			Command:     stuck.Kubectlf(s.Namespace, `patch %s %s --type=json -p '[{"op":"remove","path":"/metadata/ownerReferences"}]'`, s.Type.String(), s.Name),
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
	if objects[0].Namespace == "" {
		return ", outside any namespace"
	}
	return " -n " + objects[0].Namespace
}
