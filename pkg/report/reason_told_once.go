package report

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// toldOnce joins the findings of one object that say the same of several of its
// finalizers: a controller that is down holds all that it set.
func toldOnce(findings []stuck.Finding) []stuck.Finding {
	var out []stuck.Finding
	for _, f := range findings {
		i := slices.IndexFunc(out, func(other stuck.Finding) bool {
			return other.Cause == f.Cause && other.Summary == f.Summary && other.Verdict == f.Verdict && other.Certainty == f.Certainty
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Explains = union(out[i].Explains, f.Explains)
		out[i].Evidence = union(out[i].Evidence, f.Evidence)
		out[i].Fix = union(out[i].Fix, f.Fix)
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

// about are the finalizers that a reason is about, nothing where it is about all
// of the object's, or names them itself.
func (r reason) about() string {
	o, f := r.group.First().Object, r.finding
	all := slices.Concat(o.SpecFinalizers, o.Finalizers)
	if f.Verdict == "" || len(f.Explains) == 0 || len(f.Explains) >= len(all) {
		return ""
	}
	if !slices.ContainsFunc(f.Explains, func(name string) bool { return !strings.Contains(f.Summary, name) }) {
		return ""
	}
	return strings.Join(f.Explains, " and ")
}
