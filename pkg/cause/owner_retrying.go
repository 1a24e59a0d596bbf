package cause

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OwnerRetrying is a controller that tries and fails.
var OwnerRetrying = Cause{
	ID:    "owner-retrying",
	Title: "The controller of a finalizer tries again and again, and fails",
	Doc: Doc{
		Shows: "The controller is healthy. Since the deletion began, the object's own conditions or Warning events on it say what goes wrong.",
		Why:   "What it has to delete outside is still in use, it has lost its credentials, a dependency is gone, or it wants to create something in a namespace that is being deleted.",
		Fix:   "Do what the message asks for. If what it wants to delete is gone already and it cannot accept that, a forced removal is right.",
		Force: "What the controller could not delete stays behind.",
	},
	Owned: func(see *cluster.View, w owner.Owner) []stuck.Finding {
		runs := running(see, w)
		if len(runs) == 0 {
			return nil
		}
		said, _ := complaints(see, w)
		if len(said) == 0 {
			return nil
		}
		c := runs[0]
		return []stuck.Finding{{
			Summary:   fmt.Sprintf("%s tries and fails: %s", its(w, c), said[0].message),
			Culprit:   w.Object.As(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  append(append(lines(said), owner.Examine(see, c.Workload).Says...), because(w, c)),
			Fix: append([]stuck.Step{{What: "see what it says", Command: logs(c, "")}},
				wayOut(w, "do what the message asks for; the controller then finishes by itself")...),
			IfForced: leaves(w),
		}}
	},
}

// complaint is something that went wrong, as a controller wrote it down.
type complaint struct{ where, message string }

func lines(said []complaint) []string {
	var out []string
	for _, c := range said {
		out = append(out, c.where+": "+c.message)
	}
	return out
}

// complaints are what the object's Warning events and conditions say has gone
// wrong since its deletion began, and whether all of them could be read.
func complaints(see *cluster.View, w owner.Owner) (out []complaint, all bool) {
	events, conditions := see.Events(w.Object), see.Conditions(w.Object)
	for _, e := range events.Items {
		if e.Type == corev1.EventTypeWarning && !owner.LastSeen(e).Before(w.Object.Deleted) && e.Message != "" {
			out = append(out, complaint{fmt.Sprintf("event %s (%d times)", e.Reason, max(e.Count, 1)), owner.Shorten(e.Message)})
		}
	}
	for _, c := range conditions.Items {
		if failing(c) && c.Message != "" && hasActed(see, w) {
			out = append(out, complaint{stands(c), owner.Shorten(c.Message)})
		}
	}
	return slices.Compact(out), events.Complete && conditions.Complete
}

// failing says whether a condition speaks of a failure: one that is good when
// True and is False, or one that is bad by its name and is True. The conditions
// of Argo CD have no status: they are there or not (argoproj/argo-cd
// pkg/apis/application/v1alpha1/types.go, ApplicationCondition).
func failing(c cluster.Condition) bool {
	for _, bad := range []string{"error", "fail", "degraded", "stalled"} {
		if strings.Contains(strings.ToLower(c.Type), bad) {
			return c.Status == "True" || c.Status == ""
		}
	}
	return c.Status == "False"
}

// stands is how a condition stands, as far as it says.
func stands(c cluster.Condition) string {
	out := "condition " + c.Type
	if c.Status != "" {
		out += " is " + c.Status
	}
	if c.Reason != "" {
		out += " (" + c.Reason + ")"
	}
	return out
}
