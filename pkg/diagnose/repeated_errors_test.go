package diagnose

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestErrorsThatACauseOfItsOwnExplainsAreNotSaidTwice(t *testing.T) {
	const quoted, other = `condition Ready is False (Failed): secrets "token" not found`, "event Failed: the zone is not empty"
	missing := stuck.Finding{
		Cause: "reference-missing", Verdict: stuck.Blocked, Certainty: stuck.Confirmed, BlockedBy: stuck.Culprit{Kind: "Secret", Name: "token"},
		Explains: []string{"cdn.example.com/zone"}, Evidence: []string{"the spec names it", quoted},
	}
	retrying := stuck.Finding{Cause: "controller-retrying", Verdict: stuck.Blocked, Certainty: stuck.Likely, Explains: missing.Explains, Errors: []string{quoted}}
	for name, test := range map[string]struct {
		change func(missing, retrying *stuck.Finding)
		want   int
	}{
		"the same error":                      {change: func(*stuck.Finding, *stuck.Finding) {}, want: 1},
		"the same object, in another line":    {change: func(m, _ *stuck.Finding) { m.Evidence = nil }, want: 1},
		"another error beside it":             {change: func(_, r *stuck.Finding) { r.Errors = append(r.Errors, other) }, want: 2},
		"what is missing is merely likely":    {change: func(m, _ *stuck.Finding) { m.Certainty = stuck.Likely }, want: 2},
		"what is missing is about another":    {change: func(m, _ *stuck.Finding) { m.Explains = []string{"example.com/other"} }, want: 2},
		"an object whose name is a part only": {change: func(m, _ *stuck.Finding) { m.Evidence, m.BlockedBy.Name = nil, "tok" }, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			m, r := missing, retrying
			test.change(&m, &r)
			if got := withoutRepeatedErrors([]stuck.Finding{m, r}); len(got) != test.want {
				t.Errorf("%d findings are left", len(got))
			}
		})
	}
}
