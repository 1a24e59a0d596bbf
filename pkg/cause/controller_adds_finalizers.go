package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerAddsFinalizers is a controller that tries to add a finalizer to an object that is
// being deleted, fails, and so never comes to its cleanup.
var ControllerAddsFinalizers = kit.Cause{
	ID:    "controller-adds-finalizers",
	Title: "The controller tries to add a finalizer to an object that is being deleted",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy. A condition, the status or a Warning event of the object quotes `no new finalizers can be added if the object is being deleted`.",
		Why:      "The controller adds a finalizer at the start of each reconciliation, or applies a manifest that has a finalizer, without looking at the deletionTimestamp. The API server rejects every finalizer that is added after the deletion began, so the controller fails before its cleanup. Often another finalizer keeps the object longer than the controller expects.",
		Fix:      "Upgrade the controller to a version that adds no finalizers to objects that are being deleted. If a tool applies the finalizer (Argo CD, Flux, helm), stop its sync of the object until the object is deleted.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	AfterDeletion: true,
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		q, ok := kit.QuotedErrorOf(view, w)
		if !ok || !q.AddsFinalizers {
			return nil
		}
		c := controller.RunningCandidates(view, w)[0]
		added := "a finalizer"
		if len(q.NewFinalizers) > 0 {
			added = kit.JoinNames(q.NewFinalizers)
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("%s tries to add %s to the object, which the API server rejects during a deletion", kit.ControllerName(w, c), added),
			BlockedBy: c.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  slices.Concat([]string{q.Source + ": " + q.Message}, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c)),
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "read in the log of " + c.Ref() + " what it does before it fails", Command: c.LogsCommand()},
				{Action: stuck.ActionChange, Description: "upgrade " + c.Ref() + " to a version that adds no finalizers to objects that are being deleted"},
			},
			OnForce: kit.CostWithoutController(w),
		}}
	},
}
