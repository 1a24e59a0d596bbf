package controller

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxStateLines is how many conditions are repeated.
const maxStateLines = 3

// ReportedState is what the conditions of the object say of its deletion, where its controller may have written since it began: those
// that are False and say why. Those of a built-in type are of Kubernetes itself.
func ReportedState(view *cluster.View, w Controller) []string {
	if stuck.IsBuiltInGroup(w.Object.Type.Group) || !HasReportedSinceDeletion(view, w) {
		return nil
	}
	var out []string
	for _, c := range view.Conditions(w.Object).Items {
		if c.Status == "False" && c.Message != "" && len(out) < maxStateLines {
			out = append(out, ConditionText(c)+": "+apitext.Shorten(c.Message))
		}
	}
	return out
}

// ConditionText is how a condition stands, as far as it says.
func ConditionText(c cluster.Condition) string {
	out := "condition " + c.Type
	if c.Status != "" {
		out += " is " + c.Status
	}
	if c.Reason != "" {
		out += " (" + c.Reason + ")"
	}
	return out
}
