package kit

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DecidesByUser is what a rejection says where what rejects asks who sends the update: that a dry run of the user is rejected does not
// mean that an update of the controller is. Where a controller has written the object since its deletion, it says nothing. Of
// the steps the first is left, which shows what rejects.
func DecidesByUser(view *cluster.View, o stuck.Object, f stuck.Finding, by string) []stuck.Finding {
	w := controller.Controller{Object: o}
	for _, finalizer := range o.Finalizers {
		w.Setters = append(w.Setters, view.FinalizerManagers(o, finalizer)...)
	}
	if controller.HasWrittenSinceDeletion(view, w) {
		return nil
	}
	f.Steps = f.Steps[:1]
	return []stuck.Finding{RejectsUser(f, by+" denies")}
}

// RejectsUser is a rejection by what asks who sends the update: it is of the user, and whether it is of the controller could not be checked.
func RejectsUser(f stuck.Finding, rejects string) stuck.Finding {
	f.Message = rejects + " your update of the object, and decides by user"
	f.Verdict = stuck.Unknown
	f.Evidence = append(f.Evidence, "its conditions ask who sends the update, so an update of the controller may be accepted: that could not be checked")
	return f
}

// UserConditions are lines that quote those conditions of a webhook which ask who sends a request.
func UserConditions(hook backend.Webhook) []string {
	var out []string
	for _, expression := range hook.MatchConditions {
		if backend.DependsOnUser([]string{expression}) {
			out = append(out, "the webhook is called only if: "+apitext.Shorten(expression))
		}
	}
	return out
}
