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

// ProbeRejection tries, in a dry run, to remove the object's finalizers, and gives the
// answer if it is a rejection of this kind.
func ProbeRejection(view *cluster.View, o stuck.Object, by apitext.RejectedBy) (cluster.ProbeResult, bool) {
	t := view.Probe(o)
	return t, t.Rejection != nil && t.Rejection.By == by
}

// RejectionFinding is a finding that a write was rejected, in what all of them share.
// Whoever is to remove the finalizers has to be let through first, so it
// accounts for all of them.
func RejectionFinding(o stuck.Object, t cluster.ProbeResult, certain bool) stuck.Finding {
	f := stuck.Finding{
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  o.Finalizers,
		Evidence:  []string{probeEvidence(t)},
		OnForce:   stuck.UnknownCost(o.Finalizers...).WithNote("; until this is fixed, a forced removal is rejected too"),
	}
	if certain {
		f.Certainty = stuck.Confirmed
	}
	return f
}

// probeEvidence says what was tried, and what the answer was.
func probeEvidence(t cluster.ProbeResult) string {
	name := t.Object.Ref()
	if t.Representative {
		name += " (for all similar objects)"
	}
	return fmt.Sprintf("dry run on %s is rejected: %s", name, t.Rejection.Message)
}

// AcceptedProbe says that a dry run was accepted, and of which object where that is another one.
func AcceptedProbe(t cluster.ProbeResult) string {
	if t.Representative {
		return fmt.Sprintf("a dry run on %s (for all similar objects) is accepted", t.Object.RefInNamespace())
	}
	return "a dry run that only removes the finalizers is accepted"
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
// it changes an immutable field. Only Kubernetes' own types have such
// fields (kubernetes/pkg/apis/core/validation).
func HasImmutableSpecError(o stuck.Object, r *apitext.Rejection) bool {
	return stuck.IsBuiltInGroup(o.Type.Group) && slices.ContainsFunc(r.Fields, func(field metav1.StatusCause) bool {
		return apitext.IsImmutableField(field) && (field.Field == "spec" || strings.HasPrefix(field.Field, "spec."))
	})
}

// InvalidFields are the fields that a rejection names.
func InvalidFields(r *apitext.Rejection) string {
	var out []string
	for _, field := range r.Fields {
		out = append(out, field.Field)
	}
	return stuck.JoinFirst(out, 2)
}
