package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
	h := stuck.Health{
		Version: r.ServerVersion, Duration: time.Duration(float64(r.Seconds) * float64(time.Second)), AvailableChecks: r.AvailableChecks,
		OnlyTypes: r.OnlyTypes, Namespace: r.Namespace, StuckObjects: r.StuckObjects, Types: r.Types,
	}
	for _, g := range r.Gaps {
		h.Gaps = append(h.Gaps, stuck.Gap{Source: g.Source, Error: g.Message})
	}
	for _, c := range r.Checks {
		check := stuck.Check{Name: c.Check, Summary: c.Summary, Details: c.Details, Incomplete: c.Incomplete}
		for _, p := range c.Problems {
			for _, b := range p.Blocks {
				kind := stuck.Type{Version: b.APIVersion, Kind: b.Kind, Resource: b.APIVersion + "/" + b.Kind}
				p.Problem.Blocks = append(p.Problem.Blocks, stuck.Object{Type: kind, Namespace: b.Namespace, Name: b.Name})
			}
			check.Problems = append(check.Problems, p.Problem)
		}
		h.Checks = append(h.Checks, check)
	}
	var text strings.Builder
	if err := report.HealthText(&text, h, 100, true); err != nil {
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

// wantProblem expects a problem of a subject, whose texts together contain all the words.
func (e healthResult) wantProblem(t *testing.T, check, subject string, state stuck.State, words ...string) {
	t.Helper()
	if err := e.checkProblem(t, check, subject, state, words...); err != nil {
		t.Error(err)
	}
}

// checkProblem is what is not as expected of each problem of a subject, nothing where one of them is.
func (e healthResult) checkProblem(t *testing.T, check, subject string, state stuck.State, words ...string) error {
	t.Helper()
	err := fmt.Errorf("check %s found nothing about %s", check, subject)
	for _, f := range e.check(t, check).Problems {
		if f.Subject.Name != subject {
			continue
		}
		if err = compareProblem(f, state, words...); err == nil {
			return nil
		}
	}
	return err
}

func compareProblem(f report.HealthProblem, state stuck.State, words ...string) error {
	if f.State != state {
		return fmt.Errorf("%s is %q, want %q", f.Subject.Name, f.State, state)
	}
	text := strings.Join(slices.Concat([]string{f.Message}, f.Evidence, f.Impact), "\n")
	for _, b := range f.Blocks {
		text += "\n" + b.Kind + " " + b.Name + stuck.InNamespace(b.Namespace)
	}
	for _, step := range f.Steps {
		text += "\n" + step.Description + "\n" + step.Command
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			return fmt.Errorf("%q is not said of %s:\n%s", word, f.Subject.Name, text)
		}
	}
	return nil
}

// wantExplained expects that explain names the causes of each problem for the objects that the problem blocks.
func (e healthResult) wantExplained(t *testing.T, p *plane.Plane, causes ...string) {
	t.Helper()
	var found []string
	for _, c := range e.Checks {
		for _, problem := range c.Problems {
			if len(problem.Causes) == 0 || len(problem.Blocks) == 0 {
				continue
			}
			text := ""
			for _, b := range problem.Blocks {
				group, _, _ := strings.Cut(b.APIVersion, "/")
				if group == b.APIVersion {
					group = "" // the core group has no name
				}
				kind := strings.TrimSuffix(strings.ToLower(b.Kind)+"."+group, ".")
				out, _, _ := finalizers(t, p.Env(plane.Admin), "explain", kind+"/"+b.Name, "-n", b.Namespace, "-o", "json")
				text += out
			}
			for _, cause := range problem.Causes {
				if found = append(found, cause); !strings.Contains(text, `"id": "`+cause+`"`) {
					t.Errorf("explain does not name %s, the cause of %q:\n%s", cause, problem.Message, text)
				}
			}
		}
	}
	for _, cause := range causes {
		if !slices.Contains(found, cause) {
			t.Errorf("no problem has the cause %s: %v", cause, found)
		}
	}
}
