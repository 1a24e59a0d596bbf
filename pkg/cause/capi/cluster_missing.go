package capi

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ClusterMissing is the cause of a Machine whose Cluster was removed by force.
var ClusterMissing = kit.Cause{
	ID:    "capi-cluster-missing",
	Title: "The Cluster that the Cluster API machine belongs to does not exist",
	Doc: kit.Doc{
		Symptoms: "The Cluster in `spec.clusterName` of a Machine, MachineSet or MachineDeployment does not exist in the namespace.",
		Why:      "The Cluster was removed by force before its machines were deleted. The controllers read the Cluster first, and stop when the Cluster does not exist (GetClusterByName in kubernetes-sigs/cluster-api core/reconcilers).",
		Fix:      "Recreate the Cluster from its manifest or a backup. The controllers then finish. If you cannot recreate the Cluster, terminate the machines at the provider first.",
		IfForced: "The machines are left behind, unmanaged and billed.",
	},
	Applies: func(o stuck.Object) bool {
		kind := o.Type.Kind
		isMachine := kind == "Machine" || kind == "MachineSet" || kind == "MachineDeployment"
		return o.Type.Group == group && isMachine && o.Deleting() && o.HasFinalizer(finalizers[kind])
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		object, ok := cluster.ReadObject[Object](view, o)
		if !ok || !kit.IsValidName(object.Spec.ClusterName) {
			return nil
		}
		t, served := view.TypeForKind(schema.GroupKind{Group: group, Kind: "Cluster"})
		name := object.Spec.ClusterName
		if !served || !cluster.ReadSimilar[Object](view, t, o.Namespace, name).Absent() {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("%s/%s%s does not exist", t.Singular(), name, stuck.InNamespace(o.Namespace)),
			BlockedBy: stuck.Culprit{Kind: "Cluster", Namespace: o.Namespace, Name: name},
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizers[o.Type.Kind]},
			Evidence:  []string{fmt.Sprintf("%s names cluster %s in spec.clusterName; Cluster API does nothing without the Cluster", o.Ref(), name)},
			Steps: []stuck.Step{
				{Action: stuck.ActionChange, Description: fmt.Sprintf("recreate cluster %s%s, from the manifest or a backup: the deletion then continues", name, stuck.InNamespace(o.Namespace))},
				{Action: stuck.ActionCheck, Description: "see which machines of the cluster are left", Command: stuck.Kubectlf(o.Namespace, "get machines.cluster.x-k8s.io -l %s=%s -o custom-columns=NAME:.metadata.name,MACHINE:.spec.providerID", labelCluster, name)},
			},
			OnForce: kit.ExternalCost(o),
		}}
	},
}
