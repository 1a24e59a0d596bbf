package capi

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// annotationPaused makes Cluster API leave one object alone, whatever its
// value (kubernetes-sigs/cluster-api api/core/v1beta2/common_types.go).
const annotationPaused = "cluster.x-k8s.io/paused"

// Paused holds an object of Cluster API that is told to be left alone.
var Paused = kit.Cause{
	ID:    "capi-paused",
	Title: "The cluster or the machine is paused in Cluster API",
	Doc: kit.Doc{
		Symptoms: "An object of `cluster.x-k8s.io` has the annotation `cluster.x-k8s.io/paused`, or its Cluster has `spec.paused: true`. The condition `Paused` of the object is True.",
		Why:      "Cluster API does not reconcile a paused object, and does not finish its deletion. `clusterctl move` pauses the objects that it moves. People also pause objects before they work on the machines by hand.",
		Fix:      "Find out whether the cluster was moved to another management cluster. If the cluster was moved and still exists there, do not resume the deletion here: resuming destroys the cluster that the other management cluster manages. Otherwise, remove the pause.",
		IfForced: "The machines and their resources are left behind, unmanaged and billed.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Type.Group == group && o.Deleting() && o.HasFinalizer(finalizers[o.Type.Kind])
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		object, ok := cluster.ReadObject[Object](view, o)
		if !ok {
			return nil
		}
		if _, paused := object.Annotations[annotationPaused]; paused {
			return []stuck.Finding{pausedFinding(o, o, "annotation "+annotationPaused, "annotate %s "+annotationPaused+"-")}
		}
		if pausedCluster, ok := pausedClusterOf(view, o, *object); ok {
			return []stuck.Finding{pausedFinding(o, pausedCluster, "spec.paused: true of "+pausedCluster.Ref(), `patch %s --type merge -p '{"spec":{"paused":false}}'`)}
		}
		return nil
	},
}

// pausedClusterOf is the Cluster that an object belongs to, if that is paused.
func pausedClusterOf(view *cluster.View, o stuck.Object, object Object) (stuck.Object, bool) {
	if o.Type.Kind == "Cluster" {
		return o, object.Spec.Paused
	}
	t, served := view.TypeForKind(schema.GroupKind{Group: group, Kind: "Cluster"})
	if !served || !kit.IsValidName(object.Spec.ClusterName) {
		return stuck.Object{}, false
	}
	owningCluster := cluster.ReadSimilar[Object](view, t, o.Namespace, object.Spec.ClusterName)
	if !owningCluster.Found() || !owningCluster.Value.Spec.Paused {
		return stuck.Object{}, false
	}
	return stuck.ObjectOf(t, owningCluster.Value.ObjectMeta), true
}

func pausedFinding(o, pausedObject stuck.Object, reason, resume string) stuck.Finding {
	return stuck.Finding{
		Message:   "the object is paused by " + reason,
		BlockedBy: pausedObject.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{finalizers[o.Type.Kind]},
		Evidence:  []string{"Cluster API does not reconcile a paused object, and does not delete it"},
		Steps: []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: "resume what this pauses, unless clusterctl moved the cluster to another management cluster",
			Command:     stuck.Kubectlf(pausedObject.Namespace, resume, pausedObject.Ref()),
		}},
		OnForce: kit.ExternalCost(o),
	}
}
