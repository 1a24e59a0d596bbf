package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// healthResult is what a health command found, and how it ended.
type healthResult struct {
	report.HealthReport
	code int
}

// runHealth runs health as a user and logs what it would have shown them.
func runHealth(t *testing.T, p *plane.Plane, user string, args ...string) healthResult {
	t.Helper()
	args = append([]string{"health", "--exit-code", "-o", "json"}, args...)
	out, errOut, code := finalizers(t, p.Env(user), args...)
	found := healthResult{code: code}
	if err := json.Unmarshal([]byte(out), &found.HealthReport); err != nil {
		t.Fatalf("%s prints no JSON: %v\n%s%s", strings.Join(args, " "), err, out, errOut)
	}
	t.Logf("%s\n%s", strings.Join(args, " "), marshalReport(t, found.HealthReport))
	return found
}

// marshalReport is the report as it stands on the screen.
func marshalReport(t *testing.T, r report.HealthReport) string {
	t.Helper()
	h := stuck.Health{Version: r.ServerVersion, Types: r.Types, Gaps: r.Gaps}
	for _, c := range r.Checks {
		h.Checks = append(h.Checks, stuck.Check{Name: c.Check, Summary: c.Summary, Problems: c.Findings, Incomplete: c.Incomplete})
	}
	var text strings.Builder
	if err := report.HealthText(&text, h); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// check is one section of the report.
func (e healthResult) check(t *testing.T, name string) report.HealthCheck {
	t.Helper()
	for _, c := range e.Checks {
		if c.Check == name {
			return c
		}
	}
	t.Fatalf("the report has no section %q", name)
	return report.HealthCheck{}
}

// wantFinding expects one finding on a subject, whose texts together hold all the words.
func (e healthResult) wantFinding(t *testing.T, check, subject string, state stuck.State, words ...string) {
	t.Helper()
	if err := e.checkFinding(t, check, subject, state, words...); err != nil {
		t.Error(err)
	}
}

// checkFinding is what is not as it should be with the one finding on a subject.
func (e healthResult) checkFinding(t *testing.T, check, subject string, state stuck.State, words ...string) error {
	t.Helper()
	for _, f := range e.check(t, check).Findings {
		if f.Subject.Name != subject {
			continue
		}
		if f.State != state {
			return fmt.Errorf("%s is %q, want %q", subject, f.State, state)
		}
		text := strings.Join(append(append([]string{f.Summary}, f.Evidence...), f.Impact...), "\n")
		for _, step := range f.Steps {
			text += "\n" + step.Description + "\n" + step.Command
		}
		for _, word := range words {
			if !strings.Contains(text, word) {
				return fmt.Errorf("nothing says %q of %s:\n%s", word, subject, text)
			}
		}
		return nil
	}
	return fmt.Errorf("check %s found nothing about %s", check, subject)
}
