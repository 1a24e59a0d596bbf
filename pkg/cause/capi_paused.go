package cause

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// groupCAPI is the API group of Cluster API's own types.
const groupCAPI = "cluster.x-k8s.io"

// annotationCAPIPaused makes Cluster API leave one object alone, whatever its
// value (kubernetes-sigs/cluster-api api/core/v1beta2/common_types.go).
const annotationCAPIPaused = "cluster.x-k8s.io/paused"

// capiFinalizers are those of the kinds whose controllers stop at a pause
// before they look at a deletion (kubernetes-sigs/cluster-api core/reconcilers,
// EnsurePausedCondition).
var capiFinalizers = map[string]string{
	"Cluster":           "cluster.cluster.x-k8s.io",
	"Machine":           "machine.cluster.x-k8s.io",
	"MachineDeployment": "cluster.x-k8s.io/machinedeployment",
	"MachineSet":        "cluster.x-k8s.io/machineset",
	"MachinePool":       "machinepool.cluster.x-k8s.io",
}

// CAPIPaused holds an object of Cluster API that is told to be left alone.
var CAPIPaused = Cause{
	ID:    "capi-paused",
	Title: "The cluster or the machine is paused in Cluster API",
	Doc: Doc{
		Shows: "An object of `cluster.x-k8s.io` has the annotation `cluster.x-k8s.io/paused`, or the Cluster that it belongs to has `spec.paused: true`. Its condition `Paused` is True.",
		Why:   "Cluster API leaves what is paused alone, its deletion included. `clusterctl move` pauses what it moves, and so does whoever works on the machines by hand.",
		Fix:   "Find out whether the cluster was moved: if it lives on under another management cluster, resuming the deletion here would destroy it there. If not, take the pause away.",
		Force: "The machines, and what belongs to them, keep running and cost money.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Type.Group == groupCAPI && o.Deleting() && o.HasFinalizer(capiFinalizers[o.Type.Kind])
	},
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		self := see.CAPI(o.Type, o.Namespace, o.Name)
		if !self.Found() || self.Value.UID != o.UID {
			return nil
		}
		if _, paused := self.Value.Annotations[annotationCAPIPaused]; paused {
			return []stuck.Finding{pausedBy(o, o, "its annotation "+annotationCAPIPaused, "annotate %s "+annotationCAPIPaused+"-")}
		}
		if of, ok := clusterOf(see, o, *self.Value); ok {
			return []stuck.Finding{pausedBy(o, of, "spec.paused: true of "+of.Ref(), `patch %s --type merge -p '{"spec":{"paused":false}}'`)}
		}
		return nil
	},
}

// clusterOf is the Cluster that an object belongs to, if that is paused.
func clusterOf(see *cluster.View, o stuck.Object, self cluster.CAPI) (stuck.Object, bool) {
	if o.Type.Kind == "Cluster" {
		return o, self.Spec.Paused
	}
	t, served := see.Type(schema.GroupKind{Group: groupCAPI, Kind: "Cluster"})
	if !served || !proper(self.Spec.ClusterName) {
		return stuck.Object{}, false
	}
	of := see.CAPI(t, o.Namespace, self.Spec.ClusterName)
	if !of.Found() || !of.Value.Spec.Paused {
		return stuck.Object{}, false
	}
	return cluster.Whole(t, of.Value.ObjectMeta), true
}

func pausedBy(o, by stuck.Object, where, resume string) stuck.Finding {
	return stuck.Finding{
		Summary:   "it is paused by " + where,
		Culprit:   by.As(),
		Certainty: stuck.Proven,
		Verdict:   stuck.Blocked,
		Explains:  []string{capiFinalizers[o.Type.Kind]},
		Evidence:  []string{"Cluster API does nothing with what is paused, and does not delete it either"},
		Fix: []stuck.Step{{
			What:    "only if clusterctl has not moved it to another management cluster, where it lives on, resume all that is paused by this",
			Command: command(by.Namespace, resume, target(by)),
		}},
		IfForced: outside(o),
	}
}
