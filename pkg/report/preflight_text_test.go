package report_test

import (
	"io"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Only a deletion of many dependents is worth a line about its time.
func TestPreflightTime(t *testing.T) {
	for dependents, want := range map[int]bool{1199: false, 12000: true} {
		r := preflight.Result{Outcome: preflight.GoesThrough, Selected: []stuck.Object{stuckWidget("w1").Object}, Objects: dependents + 1, Dependents: dependents}
		text := output(t, func(out io.Writer) error { return report.PreflightText(out, r, 200, 0) })
		if strings.Contains(text, "The garbage collector needs 10m or more for 12000 dependents: by default it deletes 20 a second.") != want {
			t.Errorf("%d: %s", dependents, text)
		}
	}
}
