package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceContentRecreated holds a namespace in which objects without finalizers are
// deleted and are there all the same.
var NamespaceContentRecreated = kit.Cause{
	ID:    "content-recreated",
	Title: "Objects that were deleted are there again",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `unexpected items still remain in namespace`. The objects of that type have no finalizers, and no deletionTimestamp or a young one.",
		Why:      "The namespace controller deletes all objects of the type and finds some right after, without a finalizer that could hold them: somebody creates them anew. The API server lets nobody create in a namespace that is being deleted, but the server of an aggregated API may, or may only pretend to delete. Pods past their grace period are another matter: see node-lost.",
		Fix:      "See who wrote the objects, and stop it. For an aggregated API, look at the server behind its APIService.",
		IfForced: "The objects stay in the storage of their API, out of reach, and whoever creates them goes on.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		ns := view.Namespace(o.Name)
		if !ns.Found() {
			return nil
		}
		var findings []stuck.Finding
		for _, failure := range apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures {
			resource, ok := apitext.ParseUnexpectedItems(failure)
			if t, served := view.TypeForResource(resource); ok && served && resource != (schema.GroupResource{Resource: "pods"}) {
				findings = append(findings, recreatedContent(view, o, t)...)
			}
		}
		return findings
	},
}

// recreatedContent checks that such objects are there which nobody deletes: the
// controller deletes them all before it says so.
func recreatedContent(view *cluster.View, o stuck.Object, t stuck.Type) []stuck.Finding {
	content := view.NamespaceContent(o.Name)
	kind := cluster.TypeNameOf(t)
	n := content.NotDeleted[kind]
	if n == 0 {
		return nil
	}
	left := kit.FormatCounts(map[cluster.TypeName]int{kind: n})
	return []stuck.Finding{{
		Message:   left + " come back as often as they are deleted",
		BlockedBy: o.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence: []string{
			fmt.Sprintf("its conditions say that %s were deleted and are there all the same", t),
			left + " are there, and nobody is deleting them",
		},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "see who writes them, and stop it", Command: stuck.Kubectlf(o.Name, "get %s -o yaml --show-managed-fields", t)},
			{Action: stuck.ActionCheck, Description: "watch their uids change", Command: stuck.Kubectlf(o.Name, "get %s -w -o custom-columns=NAME:.metadata.name,UID:.metadata.uid,CREATED:.metadata.creationTimestamp", t)},
		},
		OnForce: kit.UndeletedCost(content.NotDeleted),
	}}
}
