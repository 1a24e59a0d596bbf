package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDInstances holds a CustomResourceDefinition until its objects are gone.
var CRDInstances = Cause{
	ID:    "crd-instances",
	Title: "A CustomResourceDefinition waits for its objects",
	Doc: Doc{
		Shows: "The CRD has the finalizer `customresourcecleanup.apiextensions.k8s.io` and the condition `Terminating` with reason `InstanceDeletionInProgress`.",
		Why:   "The API server deletes all objects of the type before it lets the definition go. Each of them waits for its own finalizers, whose controller was often uninstalled together with the CRD.",
		Fix:   "Free the objects: reinstall the controller that put finalizers on them, in the same version, and let it finish.",
		Force: "The objects stay in etcd and come back, still being deleted, when the CRD is installed again.",
	},
	Applies: holds(finalizerCRD),
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		instances, _ := see.InstancesOf(o.Name)
		if len(instances.Items) == 0 {
			return nil
		}
		deleting, left := split(instances.Items)
		f := stuck.Finding{
			Summary:   "waits for " + tally(instances.Items),
			Culprit:   culpritOf(instances.Items, o),
			Certainty: stuck.Proven,
			Explains:  []string{finalizerCRD},
			WaitsFor:  deleting,
			IfForced: stuck.Cost{
				Leak: stuck.LeakObjects,
				What: fmt.Sprintf("%s: in etcd, and back, still being deleted, when the CRD is installed again", tally(instances.Items)),
			},
		}
		if len(left) > 0 {
			f.Evidence = append(f.Evidence, "nobody has deleted these yet: "+tally(left))
		}
		if len(deleting) == 0 {
			f.Verdict = stuck.Unknown
		}
		return []stuck.Finding{f}
	},
}

// split tells what is being deleted from what is not.
func split(objects []stuck.Object) (deleting, left []stuck.Object) {
	for _, o := range objects {
		if o.Deleting() {
			deleting = append(deleting, o)
		} else {
			left = append(left, o)
		}
	}
	return deleting, left
}
