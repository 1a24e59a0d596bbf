package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDScopeChanged is a custom resource that nobody can reach, as it was stored under another scope.
var CRDScopeChanged = kit.Cause{
	ID:    "crd-scope-changed",
	Title: "An object was stored when its CustomResourceDefinition had another scope",
	Doc: kit.Doc{
		Symptoms: "`kubectl get -A` lists an object with a namespace although the type has none, or without a namespace although the type has them. To get, change or delete the object fails with `the server could not find the requested resource` or `NotFound`. If the object has no namespace, the condition `NamespaceDeletionContentFailure` of every namespace that is deleted says `Namespace parameter required`.",
		Why:      "The CustomResourceDefinition was deleted by force while it had objects, and created again with another `spec.scope`. The objects were left behind in etcd, under the keys of the old scope, where the API server does not look for single objects. It cannot delete them either: the deletion of the CustomResourceDefinition does not end. An object without the namespace that its type needs keeps the API server from starting the watch cache of the type, and so every namespace from being deleted.",
		Fix:      "Create the CustomResourceDefinition again with the scope of the object, and delete the object. The scope of a CustomResourceDefinition cannot be changed otherwise.",
		IfForced: "Nothing can be removed from the object. If the CustomResourceDefinition is deleted by force, the object is left behind in etcd once more.",
	},
	Applies: func(o stuck.Object) bool {
		return o.IsOutOfScope() || kit.IsDeletingNamespace(o) || o.Deleting() && slices.Contains(o.Finalizers, kit.FinalizerCRD)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if o.IsOutOfScope() {
			return scopeFindings(view, o.Type, []stuck.Object{o})
		}
		if o.IsNamespace() {
			return namespaceScopeFindings(view, o)
		}
		instances, _ := view.CustomResources(o.Name)
		outOfScope := slices.DeleteFunc(slices.Clone(instances.Items), func(i stuck.Object) bool { return i.Deleting() || !i.IsOutOfScope() })
		if len(outOfScope) == 0 {
			return nil // those that are being deleted have a diagnosis of their own
		}
		findings := scopeFindings(view, outOfScope[0].Type, outOfScope)
		for i := range findings {
			findings[i].Explains = []string{kit.FinalizerCRD}
		}
		return findings
	},
}

// scopeFindings say that objects of a type cannot be reached, unless the CustomResourceDefinition
// has their scope after all.
func scopeFindings(view *cluster.View, t stuck.Type, objects []stuck.Object) []stuck.Finding {
	crd := view.CRD(t.String())
	if crd.Absent() || crd.Found() && (crd.Value.Spec.Scope == namespacedScope) != t.Namespaced {
		return nil
	}
	now, before, has, stored := "Cluster", namespacedScope, "a namespace", "the object was"
	if t.Namespaced {
		now, before, has = before, now, "no namespace"
	}
	if len(objects) > 1 {
		stored = "objects were"
	}
	f := stuck.Finding{
		Message:   fmt.Sprintf("crd/%s had scope %s when %s stored, and has scope %s now", t, before, stored, now),
		BlockedBy: stuck.Culprit{Kind: "CustomResourceDefinition", Name: t.String()},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  objects[0].Finalizers,
		Evidence: []string{
			fmt.Sprintf("the list of %s names the object, which has %s", t, has),
			"the API server does not find the object to read, change or delete it: its key in etcd is of the other scope",
		},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: fmt.Sprintf("see which objects have %s: all of them are out of reach", has), Command: stuck.Shellf("kubectl get %s -A", t)},
			{Action: stuck.ActionChange, Description: fmt.Sprintf("save what is needed of the CustomResourceDefinition and of its other objects, which are deleted with it; delete it, and create it with scope %s; then delete the object", before)},
		},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: "the object is left behind in etcd until the CustomResourceDefinition has scope " + before + " again"},
	}
	if len(objects) > 1 {
		f.Evidence[0] = fmt.Sprintf("the list of %s names %s, which have %s", t, stuck.TallyOf(objects), has)
	}
	if crd.Found() {
		f.Certainty = stuck.Confirmed
		if crd.Value.DeletionTimestamp != nil {
			f.Steps = append(f.Steps, endDeletionStep(t))
		}
	}
	return []stuck.Finding{f}
}

// namespacedScope is the scope of a CustomResourceDefinition whose objects have namespaces.
const namespacedScope = "Namespaced"

// endDeletionStep ends the deletion of a CustomResourceDefinition, which waits for the object.
func endDeletionStep(t stuck.Type) stuck.Step {
	return stuck.Step{
		Action:      stuck.ActionForce,
		Description: "its deletion waits for the object: when no other objects are left, remove its finalizer (this shows the plan)",
		Command:     stuck.Shellf("kubectl finalizers force-remove crd/%s --finalizer %s --override-verdict --dry-run=server", t, kit.FinalizerCRD),
	}
}

// namespaceScopeFindings are the types that no namespace can be deleted for, because an object of theirs has no namespace. To find
// them costs a look at the custom resources of the whole cluster, and is done only where the API server says so.
func namespaceScopeFindings(view *cluster.View, o stuck.Object) (findings []stuck.Finding) {
	ns := view.Namespace(o.Name)
	if !ns.Found() {
		return nil
	}
	failures := apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures
	i := slices.IndexFunc(failures, apitext.IsWithoutNamespace)
	if i < 0 {
		return nil
	}
	for _, objects := range stuck.GroupBy(view.ObjectsWithoutNamespace().Items, func(o stuck.Object) string { return o.Type.String() }) {
		t, left := objects[0].Type, objects[0].Ref()+" has"
		if len(objects) > 1 {
			left = stuck.Count(len(objects), "object") + " of " + t.String() + " have"
		}
		for _, f := range scopeFindings(view, t, objects) {
			f.Evidence = slices.Concat([]string{"condition NamespaceDeletionContentFailure: " + failures[i], f.Message}, f.Evidence)
			f.Message = left + " no namespace, which stops the deletion of every namespace"
			f.Explains = []string{kit.FinalizerKubernetes}
			f.OnForce = stuck.Cost{
				Leaves: stuck.LeakObjects, Description: fmt.Sprintf("objects of %s in the namespace are left behind; other namespaces are still stuck", t),
			}
			findings = append(findings, f)
		}
	}
	return findings
}
