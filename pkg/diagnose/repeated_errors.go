package diagnose

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// withoutRepeatedErrors leaves out what only says that a controller retries and fails, where other findings, which are confirmed,
// say for the same finalizers why each of its errors comes.
func withoutRepeatedErrors(findings []stuck.Finding) []stuck.Finding {
	explaining := stuck.FindingsByFinalizer(findings)
	var out []stuck.Finding
	for i := range findings {
		f := &findings[i]
		var others []*stuck.Finding
		if len(f.Explains) > 0 {
			others = explaining[f.Explains[0]]
		}
		if len(f.Errors) == 0 || slices.ContainsFunc(f.Errors, func(line string) bool { return !isSaidByOthers(f, line, others) }) {
			out = append(out, *f)
		}
	}
	return out
}

// isSaidByOthers reports whether another finding quotes a line of a finding, or is about the object that the line names.
func isSaidByOthers(f *stuck.Finding, line string, others []*stuck.Finding) bool {
	return slices.ContainsFunc(others, func(other *stuck.Finding) bool {
		return other.Cause != f.Cause && other.Verdict == f.Verdict && other.Certainty == stuck.Confirmed && coversFinalizers(other, f) &&
			(slices.Contains(other.Evidence, line) || apitext.Quotes(line, other.BlockedBy.Name))
	})
}

// coversFinalizers reports whether a finding accounts for every finalizer that another one accounts for.
func coversFinalizers(a, b *stuck.Finding) bool {
	return !slices.ContainsFunc(b.Explains, func(name string) bool { return !slices.Contains(a.Explains, name) })
}
