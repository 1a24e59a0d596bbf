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

// CRDCleanupFailed holds a CustomResourceDefinition whose objects the API
// server could not delete.
var CRDCleanupFailed = kit.Cause{
	ID:    "crd-cleanup-failed",
	Title: "The API server cannot delete the objects of a CustomResourceDefinition",
	Doc: kit.Doc{
		Symptoms: "The CRD's condition `Terminating` is True with reason `InstanceDeletionFailed`, and says `could not list instances` or `could not issue all deletes`; or with reason `InstanceDeletionCheck`, and says `could not confirm zero CustomResources remaining`. Between two tries it is `InstanceDeletionInProgress`.",
		Why:      "The API server deletes the objects itself, in storage, before it lets the definition go. Here it could not even list them: their conversion webhook is down, or one of them cannot be read.",
		Fix:      "Make the type listable again: `explain` names what is in the way. The API server tries again by itself.",
		IfForced: "The objects stay in etcd and come back when the CRD is installed again, as unlistable as they were.",
	},
	Applies: kit.DeletingWith(kit.FinalizerCRD),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		instances, failures := view.CustomResources(o.Name)
		if _, left := kit.SplitByDeleting(instances.Items); len(left) == 0 && len(failures) == 0 {
			return nil // whatever failed, it has got further since
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
			Message:   "the API server cannot delete its objects",
			BlockedBy: o.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{kit.FinalizerCRD},
			Evidence:  []string{message},
			OnForce:   stuck.Cost{Leaves: stuck.LeakUnknown, Description: o.Name + ": in etcd, and back when the CRD is installed again"},
		}}
	},
}

// cleanupFailureMessage says what keeps the API server from deleting the objects. It
// tries again at once, and between two tries its condition speaks of progress
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
			return "it has to list them first, and the list fails: " + apitext.Shorten(apitext.ErrorMessage(failure.Err)), true
		}
	}
	if reason := conditions[i].Reason; reason != "InstanceDeletionFailed" && reason != "InstanceDeletionCheck" {
		return "", false
	}
	return fmt.Sprintf("its condition Terminating (%s) says: %s", conditions[i].Reason, apitext.Shorten(conditions[i].Message)), true
}
