package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDInstancesRemain blocks a CustomResourceDefinition until its objects are deleted.
var CRDInstancesRemain = kit.Cause{
	ID:    "crd-instances",
	Title: "Objects of a CustomResourceDefinition are still being deleted",
	Doc: kit.Doc{
		Symptoms: "The CRD has the finalizer `customresourcecleanup.apiextensions.k8s.io` and the condition `Terminating` with reason `InstanceDeletionInProgress`.",
		Why:      "The API server deletes all objects of the type before it deletes the CRD. Each object waits for the controllers of its finalizers. Often these controllers were uninstalled together with the CRD.",
		Fix:      "Unblock the objects: reinstall the controller of their finalizers in the same version, and let it finish.",
		IfForced: "The objects are left behind in etcd. When the CRD is installed again, the objects reappear, still being deleted.",
	},
	Applies: kit.DeletingWith(kit.FinalizerCRD),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		instances, _ := view.CustomResources(o.Name)
		if len(instances.Items) == 0 {
			return nil
		}
		deleting, left := kit.SplitByDeleting(instances.Items)
		f := stuck.Finding{
			Message:   kit.NotDeletedText(instances.Items),
			BlockedBy: kit.CulpritAmong(instances.Items, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerCRD},
			WaitsFor:  deleting,
			OnForce: stuck.Cost{
				Leaves:      stuck.LeakObjects,
				Description: "left behind in etcd until the CRD is installed again: " + kit.CountByType(instances.Items),
			},
		}
		if len(left) > 0 {
			f.Evidence = append(f.Evidence, "not yet deleted: "+kit.CountByType(left))
		}
		if len(deleting) == 0 {
			f.Verdict = stuck.Unknown
		}
		return []stuck.Finding{f}
	},
}
