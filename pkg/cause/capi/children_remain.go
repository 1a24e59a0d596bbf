package capi

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// kubeadmControlPlane is the group of the control plane that comes with Cluster
// API, and finalizerKubeadm what it has (kubernetes-sigs/cluster-api
// api/controlplane/kubeadm/v1beta2).
const (
	kubeadmControlPlane = "controlplane.cluster.x-k8s.io"
	finalizerKubeadm    = "kubeadm.controlplane.cluster.x-k8s.io"
)

// ChildrenRemain links an object of Cluster API to what it is made of.
var ChildrenRemain = kit.Cause{
	ID:    "capi-parts-remain",
	Title: "An object of Cluster API waits for the deletion of the objects below it",
	Doc: kit.Doc{
		Symptoms: "A Cluster, MachineDeployment, MachineSet, Machine or KubeadmControlPlane is being deleted. An object below it is being deleted too: a machine, the control plane, or an object of the provider, such as an AWSMachine. The condition `Deleting` of a Cluster or Machine says `Waiting for ... to be deleted`.",
		Why:      "Cluster API deletes from the bottom up. A Cluster waits for its machines, then for its control plane, then for its infrastructure. A Machine waits for the object of the provider, which stands for the machine itself.",
		Fix:      "Look at the lowest object, usually the object of the provider. The conditions of that object say why the cloud does not delete the resource.",
		IfForced: "The cleanup by the controllers is skipped: machines, networks and load balancers are left behind and billed.",
	},
	Applies: func(o stuck.Object) bool { return o.Deleting() && finalizerOf(o) != "" },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		parts, _ := kit.SplitByDeleting(childrenOf(view, o))
		if len(parts) == 0 {
			return nil
		}
		slices.SortFunc(parts, stuck.Compare)
		return []stuck.Finding{{
			Message:   kit.NotDeletedText(parts),
			BlockedBy: kit.CulpritAmong(parts, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{finalizerOf(o)},
			WaitsFor:  parts,
			OnForce:   kit.ExternalCost(o),
		}}
	},
}

// finalizerOf is the finalizer of an object that Cluster API deletes from the
// leaves up, if the object has it.
func finalizerOf(o stuck.Object) string {
	finalizer := ""
	switch {
	case o.Type.Group == group:
		finalizer = finalizers[o.Type.Kind]
	case o.Is(kubeadmControlPlane, "KubeadmControlPlane"):
		finalizer = finalizerKubeadm
	}
	if o.HasFinalizer(finalizer) {
		return finalizer
	}
	return ""
}

// childrenOf are the objects directly below one of Cluster API's
// (kubernetes-sigs/cluster-api core/reconcilers, reconcileDelete of each kind).
func childrenOf(view *cluster.View, o stuck.Object) []stuck.Object {
	switch o.Type.Kind {
	case "Cluster":
		object, ok := cluster.ReadObject[Object](view, o)
		if !ok {
			return nil
		}
		named := existingRefs(view, o, object.Spec.ControlPlane, object.Spec.Infrastructure)
		workers := view.ObjectsLabeled(o.Namespace, labelCluster+"="+o.Name, servedTypes(view, "MachineDeployment", "MachineSet", "Machine", "MachinePool")...)
		return append(named, withoutControlled(workers.Items, named)...)
	case "Machine":
		object, ok := cluster.ReadObject[Object](view, o)
		if !ok {
			return nil
		}
		return existingRefs(view, o, object.Spec.Infrastructure, object.Spec.Bootstrap.Config)
	}
	children := view.Objects(o.Namespace, servedTypes(view, "MachineSet", "Machine")...)
	return slices.DeleteFunc(children.Items, func(part stuck.Object) bool {
		controllerRef, ok := part.ControllerReference()
		return !ok || controllerRef.UID != o.UID
	})
}

func servedTypes(view *cluster.View, kinds ...string) []stuck.Type {
	var types []stuck.Type
	for _, kind := range kinds {
		if t, served := view.TypeForKind(schema.GroupKind{Group: group, Kind: kind}); served {
			types = append(types, t)
		}
	}
	return types
}

// withoutControlled are the objects that none of the others, nor of more, controls.
func withoutControlled(objects, others []stuck.Object) []stuck.Object {
	all := slices.Concat(objects, others)
	return slices.DeleteFunc(slices.Clone(objects), func(o stuck.Object) bool {
		controllerRef, ok := o.ControllerReference()
		return ok && slices.ContainsFunc(all, func(other stuck.Object) bool { return other.UID == controllerRef.UID })
	})
}

// existingRefs are those of the named objects that exist.
func existingRefs(view *cluster.View, o stuck.Object, refs ...Ref) []stuck.Object {
	var found []stuck.Object
	for _, ref := range refs {
		t, served := view.TypeForKind(ref.GroupKind())
		if !served || !kit.IsValidName(ref.Name) {
			continue
		}
		if m := view.Metadata(t, o.Namespace, ref.Name); m.Found() {
			found = append(found, stuck.ObjectOf(t, m.Value.ObjectMeta))
		}
	}
	return found
}
