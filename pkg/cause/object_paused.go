package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ObjectPaused holds an object that its controller was told to leave alone. Which value
// pauses it is the catalog's knowledge (paused).
var ObjectPaused = kit.Cause{
	ID:    "paused",
	Title: "The object is paused, and its controller does not reconcile it",
	Doc: kit.Doc{
		Symptoms: "The object has the annotation, the label or the field that tells its controller not to reconcile the object.",
		Why:      "The controller does not reconcile a paused object, and does not finish its deletion. The object was paused for work by hand, or by a tool that moves objects, and was not resumed.",
		Fix:      "Find out why it is paused, then resume it. The controller then finishes the deletion.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByEntry: func(view *cluster.View, known kit.KnownFinalizer) []stuck.Finding {
		if len(known.Entry.Paused) == 0 {
			return nil
		}
		content, ok := kit.Content(view, known.Object)
		if !ok {
			return nil
		}
		var out []stuck.Finding
		for _, pause := range known.Entry.Paused {
			if !pause.Matches(content) {
				continue
			}
			out = append(out, stuck.Finding{
				Message:   fmt.Sprintf("the object is paused by its %s", pause.FieldValue),
				BlockedBy: known.Object.Culprit(),
				Certainty: stuck.Confirmed,
				Verdict:   stuck.Blocked,
				Explains:  []string{known.Finalizer},
				Evidence:  []string{fmt.Sprintf("the controller (%s) does not reconcile a paused object, and does not delete it either", known.Entry.Project)},
				Steps:     []stuck.Step{pause.Resume},
				OnForce:   stuck.UnknownCost(known.Finalizer),
			})
		}
		return out
	},
}
