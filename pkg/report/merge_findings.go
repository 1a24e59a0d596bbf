package report

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// mergeFindings joins the findings of one object that say the same of several of its
// finalizers: a controller that is down holds all that it set. What force costs
// is that of each.
func mergeFindings(g stuck.Group) []reason {
	var out []reason
	for _, f := range g.First().Findings {
		i := slices.IndexFunc(out, func(r reason) bool {
			other := r.finding
			return other.Cause == f.Cause && other.Message == f.Message && other.Verdict == f.Verdict && other.Certainty == f.Certainty
		})
		if i < 0 {
			i, out = len(out), append(out, reason{group: g, finding: &f})
		}
		merged := out[i].finding
		merged.Explains = union(merged.Explains, f.Explains)
		merged.Evidence = union(merged.Evidence, f.Evidence)
		merged.Steps = union(merged.Steps, f.Steps)
		out[i].forcedCosts = append(out[i].forcedCosts, f.OnForce)
	}
	return out
}

// union is all of a, and then what b has besides.
func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, each := range b {
		if !slices.Contains(out, each) {
			out = append(out, each)
		}
	}
	return out
}

// finalizersText are the finalizers that a reason is about, nothing where it is about all
// of the object's, or names them itself.
func (r reason) finalizersText() string {
	o, f := r.group.First().Object, r.finding
	if f.IsLink() || len(f.Explains) == 0 || len(f.Explains) >= len(o.AllFinalizers()) {
		return ""
	}
	if !slices.ContainsFunc(f.Explains, func(name string) bool { return !strings.Contains(f.Message, name) }) {
		return ""
	}
	return strings.Join(f.Explains, " and ")
}
