package preflight

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Deletion is what is to be deleted.
type Deletion struct {
	// Selected are the objects that somebody deletes.
	Selected []stuck.Object
	// Content are the objects that are deleted with them, as far as they have finalizers: the
	// content of namespaces, the objects of CustomResourceDefinitions, and dependents.
	Content []stuck.Object
	// ControllerNamespaces are the namespaces with controllers of finalizers.
	ControllerNamespaces []string
	// Inseparable are the types whose objects are deleted with their CustomResourceDefinition,
	// and not before it.
	Inseparable map[string]bool
}

// StageName is what the objects of a stage are.
type StageName string

// The stages, in their order.
const (
	// StageFinalizers has what controllers finish: custom resources, or the definitions from which
	// they are inseparable, and what else carries a finalizer that Kubernetes itself does not remove.
	StageFinalizers StageName = "CustomResources"
	// StageAdmission has what rejects requests when the controllers behind it no longer run.
	StageAdmission StageName = "WebhooksAndAPIServices"
	StageWorkloads StageName = "Workloads"
	// StageNamespaced has what workloads use: claims, ServiceAccounts, RoleBindings.
	StageNamespaced           StageName = "NamespacedObjects"
	StageNamespaces           StageName = "Namespaces"
	StageControllerNamespaces StageName = "NamespacesOfControllers"
	StageCluster              StageName = "ClusterObjects"
	StageDefinitions          StageName = "CustomResourceDefinitions"
)

// Stage is a number of objects that can be deleted at once, when those of the stages before no
// longer exist.
type Stage struct {
	Name   StageName
	Delete []stuck.Object
	// WaitFor are the objects that must no longer exist when the next stage begins: those of
	// Delete, and their dependents with finalizers.
	WaitFor []stuck.Object
}

// Order is the order in which no object is deleted that another one needs to be deleted:
// each in one stage, sorted, and no stage empty. What is deleted with another object and has
// nothing to wait for is in none.
func Order(d Deletion) []Stage {
	early := earlyObjects(d)
	stages := []Stage{{Name: StageFinalizers, Delete: early.owners, WaitFor: early.all}}
	for _, name := range []StageName{
		StageAdmission, StageWorkloads, StageNamespaced, StageNamespaces, StageControllerNamespaces, StageCluster, StageDefinitions,
	} {
		var objects []stuck.Object
		for _, o := range d.Selected {
			if !early.has(o) && d.stageOf(o) == name {
				objects = append(objects, o)
			}
		}
		stages = append(stages, Stage{Name: name, Delete: objects, WaitFor: objects})
	}
	for i := range stages {
		stages[i].Delete, stages[i].WaitFor = sorted(stages[i].Delete), sorted(stages[i].WaitFor)
	}
	return slices.DeleteFunc(stages, func(s Stage) bool { return len(s.Delete) == 0 })
}

func sorted(objects []stuck.Object) []stuck.Object {
	out := slices.Clone(objects)
	slices.SortFunc(out, stuck.Compare)
	return slices.CompactFunc(out, func(a, b stuck.Object) bool { return a.Key() == b.Key() })
}

// stageOf is the stage of an object that no controller has to finish.
func (d Deletion) stageOf(o stuck.Object) StageName {
	switch {
	case o.IsNamespace() && slices.Contains(d.ControllerNamespaces, o.Name):
		return StageControllerNamespaces
	case o.IsNamespace():
		return StageNamespaces
	case o.Is("apiextensions.k8s.io", "CustomResourceDefinition"):
		return StageDefinitions
	case o.Type.Group == "admissionregistration.k8s.io", o.Type.Group == "apiregistration.k8s.io":
		return StageAdmission
	case !o.Type.Namespaced:
		return StageCluster
	case runsPods(o):
		return StageWorkloads
	}
	return StageNamespaced
}

// runsPods reports whether an object of Kubernetes itself is a Pod or makes Pods.
func runsPods(o stuck.Object) bool {
	switch o.Type.Group {
	case "apps", "batch":
		return true
	case "":
		return o.Type.Kind == "Pod" || o.Type.Kind == "ReplicationController"
	}
	return false
}

// early are the objects that have to be finished while their controllers run.
type early struct {
	// owners are those to delete, and all are those to wait for.
	owners, all []stuck.Object
	keys        map[stuck.ObjectKey]bool
}

func (e early) has(o stuck.Object) bool { return e.keys[o.Key()] }

// earlyObjects are the custom resources that were selected, and everything whose finalizers
// are removed by controllers. Of an object with an owner among all these, the owner is
// deleted: its controller would recreate the object.
func earlyObjects(d Deletion) early {
	out := early{keys: map[stuck.ObjectKey]bool{}}
	byUID := map[types.UID]stuck.Object{}
	for _, o := range slices.Concat(d.Selected, d.Content) {
		if o.UID != "" && isFinishedByController(o) {
			byUID[o.UID] = o
		}
	}
	add := func(o stuck.Object) {
		owner := topOwner(o, byUID)
		for _, inseparable := range []stuck.Object{owner, o} {
			if definition, ok := d.definitionOf(inseparable); ok {
				owner = definition
			}
		}
		out.keys[o.Key()], out.keys[owner.Key()] = true, true
		out.owners, out.all = append(out.owners, owner), append(out.all, o, owner)
	}
	for _, o := range d.Selected {
		if isFinishedByController(o) && (!stuck.IsBuiltInGroup(o.Type.Group) || hasForeignFinalizer(o)) {
			add(o)
		}
	}
	for _, o := range d.Content {
		if isFinishedByController(o) && hasForeignFinalizer(o) {
			add(o)
		}
	}
	return out
}

// definitionOf is the CustomResourceDefinition with which an object is deleted, and not
// before it.
func (d Deletion) definitionOf(o stuck.Object) (stuck.Object, bool) {
	if !d.Inseparable[o.Type.String()] {
		return stuck.Object{}, false
	}
	i := slices.IndexFunc(d.Selected, func(s stuck.Object) bool { return isDefinition(s) && s.Name == o.Type.String() })
	if i < 0 {
		return stuck.Object{}, false
	}
	return d.Selected[i], true
}

// topOwner is the owner of the owners of an object, as far as they are known; the object
// itself where it has none.
func topOwner(o stuck.Object, known map[types.UID]stuck.Object) stuck.Object {
	for seen := map[types.UID]bool{}; !seen[o.UID]; {
		seen[o.UID] = true
		for _, ref := range o.Owners {
			if owner, ok := known[ref.UID]; ok {
				o = owner
				break
			}
		}
	}
	return o
}

// isFinishedByController reports whether the deletion of an object does not wait for Pods to
// end, so that it can come before that of the workloads.
func isFinishedByController(o stuck.Object) bool {
	switch o.Type.Group {
	case "admissionregistration.k8s.io", "apiregistration.k8s.io", "apiextensions.k8s.io", "apps", "batch", "rbac.authorization.k8s.io", "resource.k8s.io", "storage.k8s.io":
		return false
	case "":
		return o.Type.Resource == "services" || o.Type.Resource == "configmaps" || o.Type.IsSecret()
	}
	return !o.IsOutOfScope() // no request to delete it would reach it
}

// hasForeignFinalizer reports whether an object has a finalizer that Kubernetes itself does not
// remove. Those of load balancers belong to cloud providers.
func hasForeignFinalizer(o stuck.Object) bool {
	return slices.ContainsFunc(o.Finalizers, func(finalizer string) bool {
		switch domain, _, _ := strings.Cut(finalizer, "/"); {
		case finalizer == metav1.FinalizerDeleteDependents, finalizer == metav1.FinalizerOrphanDependents:
			return false
		case !stuck.IsBuiltInGroup(o.Type.Group), strings.HasPrefix(finalizer, "service.kubernetes.io/load-balancer"):
			return true
		default:
			return domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
		}
	})
}
