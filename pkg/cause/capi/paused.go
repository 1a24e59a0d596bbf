package capi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// annotationCAPIPaused makes Cluster API leave one object alone, whatever its
// value (kubernetes-sigs/cluster-api api/core/v1beta2/common_types.go).
const annotationCAPIPaused = "cluster.x-k8s.io/paused"

// CAPIPaused holds an object of Cluster API that is told to be left alone.
var CAPIPaused = kit.Cause{
	ID:    "capi-paused",
	Title: "The cluster or the machine is paused in Cluster API",
	Doc: kit.Doc{
		Symptoms: "An object of `cluster.x-k8s.io` has the annotation `cluster.x-k8s.io/paused`, or the Cluster that it belongs to has `spec.paused: true`. Its condition `Paused` is True.",
		Why:      "Cluster API leaves what is paused alone, its deletion included. `clusterctl move` pauses what it moves, and so does whoever works on the machines by hand.",
		Fix:      "Find out whether the cluster was moved: if it lives on under another management cluster, resuming the deletion here would destroy it there. If not, take the pause away.",
		IfForced: "The machines, and what belongs to them, keep running and cost money.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Type.Group == groupCAPI && o.Deleting() && o.HasFinalizer(capiFinalizers[o.Type.Kind])
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		object := ReadCAPIObject(view, o.Type, o.Namespace, o.Name)
		if !object.Found() || object.Value.UID != o.UID {
			return nil
		}
		if _, paused := object.Value.Annotations[annotationCAPIPaused]; paused {
			return []stuck.Finding{pausedFinding(o, o, "its annotation "+annotationCAPIPaused, "annotate %s "+annotationCAPIPaused+"-")}
		}
		if pausedCluster, ok := pausedClusterOf(view, o, *object.Value); ok {
			return []stuck.Finding{pausedFinding(o, pausedCluster, "spec.paused: true of "+pausedCluster.Ref(), `patch %s --type merge -p '{"spec":{"paused":false}}'`)}
		}
		return nil
	},
}

// pausedClusterOf is the Cluster that an object belongs to, if that is paused.
func pausedClusterOf(view *cluster.View, o stuck.Object, object CAPIObject) (stuck.Object, bool) {
	if o.Type.Kind == "Cluster" {
		return o, object.Spec.Paused
	}
	t, served := view.TypeForKind(schema.GroupKind{Group: groupCAPI, Kind: "Cluster"})
	if !served || !kit.IsValidName(object.Spec.ClusterName) {
		return stuck.Object{}, false
	}
	owningCluster := ReadCAPIObject(view, t, o.Namespace, object.Spec.ClusterName)
	if !owningCluster.Found() || !owningCluster.Value.Spec.Paused {
		return stuck.Object{}, false
	}
	return stuck.ObjectOf(t, owningCluster.Value.ObjectMeta), true
}

func pausedFinding(o, pausedObject stuck.Object, reason, resume string) stuck.Finding {
	return stuck.Finding{
		Summary:   "it is paused by " + reason,
		Culprit:   pausedObject.Culprit(),
		Certainty: stuck.Proven,
		Verdict:   stuck.Blocked,
		Explains:  []string{capiFinalizers[o.Type.Kind]},
		Evidence:  []string{"Cluster API does nothing with what is paused, and does not delete it either"},
		Fix: []stuck.Step{{
			What:    "only if clusterctl has not moved it to another management cluster, where it lives on, resume all that is paused by this",
			Command: kit.KubectlCommand(pausedObject.Namespace, resume, kit.TypeAndName(pausedObject)),
		}},
		IfForced: kit.ExternalCost(o),
	}
}
