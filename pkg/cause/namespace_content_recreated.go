package cause

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceContentRecreated blocks a namespace in which objects without finalizers are
// deleted and exist all the same.
var NamespaceContentRecreated = kit.Cause{
	ID:    "content-recreated",
	Title: "Objects are recreated while the namespace is being deleted",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and says `unexpected items still remain in namespace`. The objects of that type have no finalizers, no deletionTimestamp or a recent one, and a creationTimestamp after the deletion of the namespace.",
		Why:      "The namespace controller deletes all objects of the type, then finds objects without a finalizer: something recreates them. The API server rejects creation in a namespace that is being deleted. The server of an aggregated API may accept the creation, or may report a deletion that it did not perform. Pods past their grace period have another cause: see node-lost.",
		Fix:      "Find the client that creates the objects, and stop that client. For an aggregated API, look at the server of its APIService.",
		IfForced: "The objects are left behind in the storage of their API, cannot be reached, and may still be recreated.",
	},
	AfterDeletion: true,
	Applies:       kit.IsDeletingNamespace,
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

// recreatedContent looks for objects that are not being deleted and were created since the deletion of the namespace: the
// controller deletes them all before it reports that. An object that is older was not deleted, and not recreated.
func recreatedContent(view *cluster.View, o stuck.Object, t stuck.Type) []stuck.Finding {
	content := view.NamespaceContent(o.Name)
	kind := cluster.TypeNameOf(t)
	if content.NotDeleted[kind] == 0 {
		return nil
	}
	n := 0
	for _, object := range view.Objects(o.Name, t).Items {
		if !object.Deleting() && !object.CreationTime.Before(o.DeletionTime) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	left := kit.FormatCounts(map[cluster.TypeName]int{kind: n})
	return []stuck.Finding{{
		Message:   "deleted objects are recreated: " + left,
		BlockedBy: o.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence: []string{
			fmt.Sprintf("condition NamespaceDeletionContentFailure: %s were deleted and still exist", t),
			left + " without a deletionTimestamp, created since the deletion of the namespace",
		},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "find the field manager that creates the objects, and stop that software", Command: stuck.ReadCommand(t, o.Name, t.String())},
			{Action: stuck.ActionCheck, Description: "see whether the uids change: new uids prove that something recreates them", Command: stuck.Kubectlf(o.Name, "get %s -w -o custom-columns=NAME:.metadata.name,UID:.metadata.uid,CREATED:.metadata.creationTimestamp", t)},
		},
		OnForce: kit.UndeletedCost(content.NotDeleted),
	}}
}
