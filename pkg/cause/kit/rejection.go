package kit

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ProbeRejection tries to take the object's finalizers off, and gives the answer if
// it is a refusal of this kind.
func ProbeRejection(view *cluster.View, o stuck.Object, by apitext.RejectedBy) (cluster.ProbeResult, bool) {
	t := view.Probe(o)
	return t, t.Rejection != nil && t.Rejection.By == by
}

// RejectionFinding is a finding that a write was refused, in what all of them share.
// Whoever is to remove the finalizers has to be let through first, so it
// accounts for all of them.
func RejectionFinding(o stuck.Object, t cluster.ProbeResult, certain bool) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  o.Finalizers,
		Evidence:  []string{probeEvidence(t)},
		OnForce:   stuck.UnknownCost(o.Finalizers...).WithNote("; and while this lasts, force is refused too"),
	}
	if certain {
		f.Certainty = stuck.Confirmed
	}
	return f
}

// probeEvidence says what was tried, and what the answer was.
func probeEvidence(t cluster.ProbeResult) string {
	text := fmt.Sprintf("a dry run that takes %s off %s is refused: %s", JoinNames(t.Object.Finalizers), t.Object.Ref(), t.Rejection.Message)
	if t.Representative {
		text += fmt.Sprintf(" (%s was tried for all that are alike)", t.Object.Name)
	}
	return text
}

// JoinNames are names in a sentence.
func JoinNames(all []string) string { return strings.Join(all, " and ") }

// PolicyRef is a policy as kubectl names it.
func PolicyRef(r *apitext.Rejection) string { return strings.ToLower(r.PolicyKind) + "/" + r.Name }

// BindingRef is what binds a policy, as kubectl names it.
func BindingRef(r *apitext.Rejection) string {
	return strings.ToLower(r.PolicyKind) + "binding/" + r.Binding
}

// HasImmutableSpecError reports whether an update that touches metadata alone failed because
// it changes what may not be changed. Types of Kubernetes itself alone have
// such fields (kubernetes/pkg/apis/core/validation).
func HasImmutableSpecError(o stuck.Object, r *apitext.Rejection) bool {
	return stuck.IsBuiltInGroup(o.Type.Group) && slices.ContainsFunc(r.Fields, func(field metav1.StatusCause) bool {
		return apitext.IsImmutableField(field) && (field.Field == "spec" || strings.HasPrefix(field.Field, "spec."))
	})
}

// InvalidFields are the fields that a refusal names, each with what is wrong with it.
func InvalidFields(r *apitext.Rejection) string {
	var out []string
	for _, field := range r.Fields {
		out = append(out, field.Field+": "+field.Message)
	}
	return strings.Join(out, "; ")
}
