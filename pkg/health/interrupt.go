package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// interruptedCheck is what is known of a check that the user interrupted. Of lists, watches
// and informers the results until then count; of any other check a read that did not end may
// have looked like an absence, so nothing of it is kept.
func interruptedCheck(name string, out stuck.Check) stuck.Check {
	if out.Summary == "" || !slices.Contains([]string{List, Watch, Informers}, name) {
		return stuck.Check{Incomplete: true, Summary: "interrupted before it ended"}
	}
	out.Incomplete, out.Summary = true, "interrupted; "+out.Summary
	return out
}

// markInterrupted says that the checks were interrupted, in place of each read that this ended.
func markInterrupted(h *stuck.Health) {
	h.Interrupted = true
	h.Gaps = slices.DeleteFunc(h.Gaps, func(g stuck.Gap) bool { return strings.Contains(g.Error, context.Canceled.Error()) })
	var open []string
	for _, c := range h.Checks {
		if strings.HasPrefix(c.Summary, "interrupted") {
			open = append(open, c.Name)
		}
	}
	if len(open) == 0 {
		return
	}
	h.Gaps = append(h.Gaps, stuck.Gap{
		Source: "checks " + strings.Join(open, ", "),
		Error:  fmt.Sprintf("interrupted after %s", h.Duration.Round(100*time.Millisecond)),
	})
}

// isAnswer reports whether the API server answered, with an object or with an error.
func isAnswer(err error) bool {
	var answer apierrors.APIStatus
	return err == nil || errors.As(err, &answer)
}
