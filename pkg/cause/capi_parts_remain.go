package cause

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// labelCAPICluster names the Cluster that an object of Cluster API belongs to
// (kubernetes-sigs/cluster-api api/core/v1beta2/common_types.go).
const labelCAPICluster = "cluster.x-k8s.io/cluster-name"

// kubeadmControlPlane is the group of the control plane that comes with Cluster
// API, and finalizerKubeadm what it has (kubernetes-sigs/cluster-api
// api/controlplane/kubeadm/v1beta2).
const (
	kubeadmControlPlane = "controlplane.cluster.x-k8s.io"
	finalizerKubeadm    = "kubeadm.controlplane.cluster.x-k8s.io"
)

// CAPIPartsRemain links an object of Cluster API to what it is made of.
var CAPIPartsRemain = Cause{
	ID:    "capi-parts-remain",
	Title: "A cluster, a machine set or a machine of Cluster API waits for what it is made of",
	Doc: Doc{
		Shows: "A Cluster, MachineDeployment, MachineSet, Machine or KubeadmControlPlane is being deleted, and so is something below it: machines, the control plane, or the provider's object, such as an AWSMachine. The condition `Deleting` of a Cluster or Machine says `Waiting for ... to be deleted`.",
		Why:   "Cluster API deletes from the leaves up: a Cluster waits for its machines, then for its control plane, then for its infrastructure; a Machine waits for the provider's object, which is the machine itself.",
		Fix:   "Look at the leaf: it is the provider's object most of the time, and its conditions say why the cloud does not let go of it.",
		Force: "The controllers forget what they would have deleted below it: machines, networks and load balancers keep running and cost money.",
	},
	Applies: func(o stuck.Object) bool { return o.Deleting() && capiFinalizer(o) != "" },
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		parts, _ := split(capiParts(see, o))
		if len(parts) == 0 {
			return nil
		}
		slices.SortFunc(parts, stuck.Compare)
		return []stuck.Finding{{
			Summary:   "waits for " + tally(parts),
			Culprit:   culpritOf(parts, o),
			Certainty: stuck.Proven,
			Explains:  []string{capiFinalizer(o)},
			WaitsFor:  parts,
			IfForced:  outside(o),
		}}
	},
}

// capiFinalizer is the finalizer of an object that Cluster API deletes from the
// leaves up, if the object has it.
func capiFinalizer(o stuck.Object) string {
	finalizer := ""
	switch {
	case o.Type.Group == groupCAPI:
		finalizer = capiFinalizers[o.Type.Kind]
	case o.Is(kubeadmControlPlane, "KubeadmControlPlane"):
		finalizer = finalizerKubeadm
	}
	if o.HasFinalizer(finalizer) {
		return finalizer
	}
	return ""
}

// capiParts are the objects directly below one of Cluster API's
// (kubernetes-sigs/cluster-api core/reconcilers, reconcileDelete of each kind).
func capiParts(see *cluster.View, o stuck.Object) []stuck.Object {
	switch o.Type.Kind {
	case "Cluster":
		self := see.CAPI(o.Type, o.Namespace, o.Name)
		if !self.Found() || self.Value.UID != o.UID {
			return nil
		}
		named := referred(see, o, self.Value.Spec.ControlPlane, self.Value.Spec.Infrastructure)
		workers := see.Labelled(o.Namespace, labelCAPICluster+"="+o.Name, capiTypes(see, "MachineDeployment", "MachineSet", "Machine", "MachinePool")...)
		return append(named, topmost(workers.Items, named)...)
	case "Machine":
		self := see.CAPI(o.Type, o.Namespace, o.Name)
		if !self.Found() || self.Value.UID != o.UID {
			return nil
		}
		return referred(see, o, self.Value.Spec.Infrastructure, self.Value.Spec.Bootstrap.Config)
	}
	below := see.Objects(o.Namespace, capiTypes(see, "MachineSet", "Machine")...)
	return slices.DeleteFunc(below.Items, func(part stuck.Object) bool {
		by, ok := part.Controller()
		return !ok || by.UID != o.UID
	})
}

func capiTypes(see *cluster.View, kinds ...string) []stuck.Type {
	var types []stuck.Type
	for _, kind := range kinds {
		if t, served := see.Type(schema.GroupKind{Group: groupCAPI, Kind: kind}); served {
			types = append(types, t)
		}
	}
	return types
}

// topmost are the objects that none of the others, nor of more, controls.
func topmost(objects, more []stuck.Object) []stuck.Object {
	all := slices.Concat(objects, more)
	return slices.DeleteFunc(slices.Clone(objects), func(o stuck.Object) bool {
		by, ok := o.Controller()
		return ok && slices.ContainsFunc(all, func(other stuck.Object) bool { return other.UID == by.UID })
	})
}

// referred are those of the named objects that exist.
func referred(see *cluster.View, o stuck.Object, refs ...cluster.CAPIRef) []stuck.Object {
	var found []stuck.Object
	for _, ref := range refs {
		t, served := see.Type(ref.GroupKind())
		if !served || !proper(ref.Name) {
			continue
		}
		if m := see.Metadata(t, o.Namespace, ref.Name); m.Found() {
			found = append(found, cluster.Object(t, m.Value))
		}
	}
	return found
}
