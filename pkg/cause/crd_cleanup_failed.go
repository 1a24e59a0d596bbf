package cause

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDCleanupFailed blocks a CustomResourceDefinition whose objects the API
// server could not delete.
var CRDCleanupFailed = kit.Cause{
	ID:    "crd-cleanup-failed",
	Title: "The API server cannot delete the objects of a CustomResourceDefinition",
	Doc: kit.Doc{
		Symptoms: "The condition `Terminating` of the CRD is True. With reason `InstanceDeletionFailed`, the condition says `could not list instances` or `could not issue all deletes`. With reason `InstanceDeletionCheck`, the condition says `could not confirm zero CustomResources remaining`. Between two attempts, the reason is `InstanceDeletionInProgress`.",
		Why:      "The API server deletes the stored objects before it deletes the CRD. The API server could not list the objects: their conversion webhook fails, or an object cannot be decoded or decrypted.",
		Fix:      "Make the type listable again: `explain` names the cause of the failed list. The API server then retries.",
		IfForced: "The objects are left behind in etcd. When the CRD is installed again, the objects reappear and still cannot be listed.",
	},
	Applies: kit.DeletingWith(kit.FinalizerCRD),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		instances, failures := view.CustomResources(o.Name)
		if _, left := kit.SplitByDeleting(instances.Items); len(left) == 0 && len(failures) == 0 {
			return nil // whatever failed, it has succeeded since
		}
		crd := view.CRD(o.Name)
		if !crd.Found() {
			return nil
		}
		message, ok := cleanupFailureMessage(crd.Value.Status.Conditions, failures)
		if !ok {
			return nil
		}
		return []stuck.Finding{{
			Message:   "the API server cannot delete the objects of " + o.Name,
			BlockedBy: o.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{kit.FinalizerCRD},
			Evidence:  []string{message},
			OnForce:   stuck.Cost{Leaves: stuck.LeakUnknown, Description: o.Name + " are left behind in etcd until the CRD is installed again"},
		}}
	},
}

// cleanupFailureMessage says what keeps the API server from deleting the objects. It
// retries at once, and between two tries its condition reports progress
// for as long as a list takes to fail: that the list fails is the better
// witness (apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go).
func cleanupFailureMessage(conditions []cluster.Condition, failures []cluster.ListFailure) (message string, ok bool) {
	i := slices.IndexFunc(conditions, func(c cluster.Condition) bool { return c.Type == "Terminating" && c.Status == "True" })
	if i < 0 {
		return "", false
	}
	for _, failure := range failures {
		var answer apierrors.APIStatus
		if errors.As(failure.Err, &answer) && answer.Status().Code >= http.StatusInternalServerError {
			return "listing them fails: " + apitext.Shorten(apitext.ErrorMessage(failure.Err)), true
		}
	}
	if reason := conditions[i].Reason; reason != "InstanceDeletionFailed" && reason != "InstanceDeletionCheck" {
		return "", false
	}
	return fmt.Sprintf("condition Terminating (%s): %s", conditions[i].Reason, apitext.Shorten(conditions[i].Message)), true
}
