package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ConfirmationMissing holds an object whose controller does not go on with the deletion
// before a person has confirmed it. Which value confirms is the catalog's knowledge
// (confirmation).
var ConfirmationMissing = kit.Cause{
	ID:    "confirmation-missing",
	Title: "The deletion waits until a person confirms it",
	Doc: kit.Doc{
		Symptoms: "The object has an annotation or a field that protects it from deletion, or the annotation that confirms the deletion is not set. Conditions and events often say nothing.",
		Why:      "The controller protects the object, or what it stands for, from accidental deletion. The API server accepted the deletion, but the controller does nothing until a person confirms the deletion.",
		Fix:      "Find out who protected the object, and why. If it may be deleted, confirm the deletion. The controller then continues.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerNext: true,
	ByEntry: func(view *cluster.View, known kit.KnownFinalizer) []stuck.Finding {
		if len(known.Entry.Confirmation) == 0 {
			return nil
		}
		content, ok := kit.Content(view, known.Object)
		if !ok {
			return nil
		}
		var out []stuck.Finding
		for _, c := range known.Entry.Confirmation {
			if c.IsMissing(content) {
				out = append(out, confirmationFinding(known, c))
			}
		}
		return out
	},
}

func confirmationFinding(known kit.KnownFinalizer, c catalog.Confirmation) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("the deletion waits until %s", c),
		BlockedBy: known.Object.Culprit(),
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{known.Finalizer},
		Steps:     []stuck.Step{c.Confirm},
		OnForce:   stuck.UnknownCost(known.Finalizer),
	}
	if asks := c.Asks(); asks != "" {
		f.Evidence = append(f.Evidence, "the object has "+asks)
	}
	f.Evidence = append(f.Evidence, fmt.Sprintf("the controller (%s) does not delete the object before a person confirms the deletion", known.Entry.Project))
	return f
}
