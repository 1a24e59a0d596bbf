package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDCleanupFailed holds a CustomResourceDefinition whose objects the API
// server could not delete.
var CRDCleanupFailed = Cause{
	ID:    "crd-cleanup-failed",
	Title: "The API server cannot delete the objects of a CustomResourceDefinition",
	Doc: Doc{
		Shows: "The CRD's condition `Terminating` is True with reason `InstanceDeletionFailed`, and says `could not list instances` or `could not issue all deletes`; or with reason `InstanceDeletionCheck`, and says `could not confirm zero CustomResources remaining`.",
		Why:   "The API server deletes the objects itself, in storage, before it lets the definition go. Here it could not even list them: their conversion webhook is down, or one of them cannot be read.",
		Fix:   "Make the type listable again: `explain` names what is in the way. The API server tries again by itself.",
		Force: "The objects stay in etcd and come back when the CRD is installed again, as unlistable as they were.",
	},
	Applies: holds(finalizerCRD),
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		instances, failures := see.InstancesOf(o.Name)
		if _, left := split(instances.Items); len(left) == 0 && len(failures) == 0 {
			return nil // whatever failed, it has got further since
		}
		crd := see.CRD(o.Name)
		if !crd.Found() {
			return nil
		}
		conditions := crd.Value.Status.Conditions
		i := slices.IndexFunc(conditions, func(c cluster.Condition) bool {
			return c.Type == "Terminating" && c.Status == "True" && slices.Contains(cleanupFailed, c.Reason)
		})
		if i < 0 {
			return nil
		}
		return []stuck.Finding{{
			Summary:   "the API server cannot delete its objects",
			Culprit:   o.As(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerCRD},
			Evidence:  []string{fmt.Sprintf("its condition Terminating (%s) says: %s", conditions[i].Reason, owner.Shorten(conditions[i].Message))},
			IfForced:  stuck.Cost{Leak: stuck.LeakUnknown, What: o.Name + ": in etcd, and back when the CRD is installed again"},
		}}
	},
}

// cleanupFailed are the reasons for which the API server gives up until it
// tries again (apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go).
var cleanupFailed = []string{"InstanceDeletionFailed", "InstanceDeletionCheck"}
