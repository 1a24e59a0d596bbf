package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDInstancesRemain holds a CustomResourceDefinition until its objects are gone.
var CRDInstancesRemain = kit.Cause{
	ID:    "crd-instances",
	Title: "A CustomResourceDefinition waits for its objects",
	Doc: kit.Doc{
		Symptoms: "The CRD has the finalizer `customresourcecleanup.apiextensions.k8s.io` and the condition `Terminating` with reason `InstanceDeletionInProgress`.",
		Why:      "The API server deletes all objects of the type before it lets the definition go. Each of them waits for its own finalizers, whose controller was often uninstalled together with the CRD.",
		Fix:      "Free the objects: reinstall the controller that put finalizers on them, in the same version, and let it finish.",
		IfForced: "The objects stay in etcd and come back, still being deleted, when the CRD is installed again.",
	},
	Applies: kit.DeletingWith(kit.FinalizerCRD),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		instances, _ := view.CustomResources(o.Name)
		if len(instances.Items) == 0 {
			return nil
		}
		deleting, left := kit.SplitByDeleting(instances.Items)
		f := stuck.Finding{
			Message:   "waits for " + kit.CountByType(instances.Items),
			BlockedBy: kit.CulpritAmong(instances.Items, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{kit.FinalizerCRD},
			WaitsFor:  deleting,
			OnForce: stuck.Cost{
				Leaves:      stuck.LeakObjects,
				Description: fmt.Sprintf("%s: in etcd, and back, still being deleted, when the CRD is installed again", kit.CountByType(instances.Items)),
			},
		}
		if len(left) > 0 {
			f.Evidence = append(f.Evidence, "nobody has deleted these yet: "+kit.CountByType(left))
		}
		if len(deleting) == 0 {
			f.Verdict = stuck.Unknown
		}
		return []stuck.Finding{f}
	},
}
