package report_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The first line says that all is well only where every check was made.
func TestHealthSummary(t *testing.T) {
	fine := stuck.Check{Name: "list", Summary: "5 of 5 types can be listed"}
	blind := stuck.Check{Name: "list", Incomplete: true}
	warning := stuck.Check{Name: "list", Problems: []stuck.Problem{{State: stuck.Warning}}}
	for name, test := range map[string]struct {
		checks   []stuck.Check
		of       int
		want     string
		narrowed bool
	}{
		"every check":                {[]stuck.Check{fine}, 1, "all is well", false},
		"every check, of some types": {[]stuck.Check{fine}, 1, "no problem found in what was asked for", true},
		"one of several":             {[]stuck.Check{fine}, 7, "1 of 7 checks run: no problem found", false},
		"one, with a warning":        {[]stuck.Check{warning}, 7, "1 of 7 checks run: works, 1 warning", false},
		"one that saw little":        {[]stuck.Check{blind}, 7, "1 of 7 checks run: nothing ill was found, but not everything could be read", false},
		"every check, with a gap":    {[]stuck.Check{blind}, 1, "nothing ill was found, but not everything could be read", false},
		"of an unknown number":       {[]stuck.Check{fine}, 0, "all is well", false},
		"two of several, of one ill": {[]stuck.Check{fine, {Problems: []stuck.Problem{{State: stuck.Unhealthy}}}}, 7, "2 of 7 checks run: ill, 1 finding", false},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := report.HealthText(&b, stuck.Health{Version: "v1.37.1", Checks: test.checks, AvailableChecks: test.of, Narrowed: test.narrowed}); err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(b.String(), "\n")
			if want := "list-watch of this v1.37.1 cluster: " + test.want; first != want {
				t.Errorf("it says %q, not %q", first, want)
			}
		})
	}
}
