package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ObjectPaused holds an object that its controller was told to leave alone. Which value
// pauses it, its own or that of an object that it belongs to, is the catalog's knowledge (paused).
var ObjectPaused = kit.Cause{
	ID:    "paused",
	Title: "The object is paused, and its controller does not reconcile it",
	Doc: kit.Doc{
		Symptoms: "The object has the annotation, the label or the field that tells its controller not to reconcile the object.",
		Why:      "The controller does not reconcile a paused object, and does not finish its deletion. The object was paused for work by hand, or by a tool that moves objects, and was not resumed.",
		Fix:      "Find out why it is paused, then resume it. The controller then finishes the deletion.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerNext: true,
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
			if f, paused := pausedFinding(view, known, pause, content); paused {
				out = append(out, f)
			}
		}
		return out
	},
}

// pausedFinding is that a value pauses the object: its own, or that of an object to which
// it belongs.
func pausedFinding(view *cluster.View, known kit.KnownFinalizer, pause catalog.Pause, content map[string]any) (stuck.Finding, bool) {
	f := stuck.Finding{
		Message:   fmt.Sprintf("the object is paused by its %s", pause.FieldValue),
		BlockedBy: known.Object.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{known.Finalizer},
		Evidence:  []string{fmt.Sprintf("the controller (%s) does not reconcile a paused object, and does not delete it either", known.Entry.Project)},
		Steps:     []stuck.Step{pause.Resume},
		OnForce:   stuck.UnknownCost(known.Finalizer),
	}
	for _, holder := range kit.Follow(view, kit.Holder{Object: known.Object, Content: content}, pause.Of) {
		if !pause.Matches(holder.Content) {
			continue
		}
		if len(pause.Of) > 0 {
			f.Message = fmt.Sprintf("the object is paused by %s of %s", pause.FieldValue, holder.Object.RefInNamespace())
			f.BlockedBy = holder.Object.Culprit()
			f.Steps[0].Command = stuck.FillCommand(pause.Resume.Command, map[string]string{"parent": holder.Object.Name})
		}
		return f, true
	}
	return stuck.Finding{}, false
}
