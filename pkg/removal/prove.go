package removal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Prove sends every request of the plan as a dry run, so that admission,
// schemas and quotas answer before anything changes. It gives all that would be
// refused, and apart from it what went by itself meanwhile. An error means that
// the API server could not be asked.
func (r *Run) Prove(ctx context.Context) (refused, gone []Refusal, err error) {
	steps, notices := len(r.Plan.Steps), len(r.Plan.Notices)
	answers := make([]error, steps+notices)
	items := make([]int, len(answers))
	for i := range items {
		items[i], answers[i] = i, errNotTried
	}
	done := 0
	work(ctx, items, func(ctx context.Context, i int) error {
		if i < steps {
			answers[i] = r.proveStep(ctx, r.Plan.Steps[i])
		} else {
			notice := r.Plan.Notices[i-steps]
			answers[i] = r.Writer.Send(ctx, notice.Request(notice.Of(r.Plan.Steps), r.Source.Now()), true)
		}
		return passing(answers[i])
	}, func(int) {
		if done++; r.Progress != nil {
			r.Progress(done, len(items))
		}
	})
	for i, answer := range answers {
		switch {
		case answer == nil:
		case unanswered(answer):
			return nil, nil, fmt.Errorf("trying the plan as a dry run: %w", answer)
		case i >= steps:
			refused = append(refused, noEvent(r.Plan.Notices[i-steps], answer))
		case isGone(answer, r.Plan.Steps[i].Object):
			gone = append(gone, Refusal{Object: r.Plan.Steps[i].Object, Why: "went by itself meanwhile", Way: "run the command again: nothing needs to be done for it"})
		default:
			refused = append(refused, refusedStep(r.Plan.Steps[i].Object, answer))
		}
	}
	return refused, gone, nil
}

// errNotTried is what is left of a cancelled proof.
var errNotTried = errors.New("interrupted")

func (r *Run) proveStep(ctx context.Context, step Step) error {
	for _, part := range step.parts() {
		request, err := r.request(ctx, part)
		if err == nil {
			err = r.Writer.Send(ctx, request, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isGone says whether an answer means that the object itself is not there. In a
// namespace that is not there either, nothing can be found.
func isGone(err error, o stuck.Object) bool {
	var answer apierrors.APIStatus
	if !cluster.Absent(err) || !errors.As(err, &answer) {
		return false
	}
	details := answer.Status().Details
	return details != nil && details.Name == o.Name && details.Kind == o.Type.Resource
}

func refusedStep(o stuck.Object, err error) Refusal {
	if outdated(err) {
		return Refusal{Object: o, Why: "changed while it was looked at", Way: "run the command again"}
	}
	return Refusal{
		Object: o, Why: "the API server refuses it, in a dry run: " + said(err, o.Name),
		Way: "see what refuses it: kubectl finalizers explain " + inPlace(o),
	}
}

func noEvent(n Notice, err error) Refusal {
	return Refusal{
		Object: n.About, Why: fmt.Sprintf("the API server refuses an Event about it in namespace %s, in a dry run: %s", n.Namespace(), said(err, n.About.Name)),
		Way: "do without it: leave out --record-event",
	}
}

// said is what the API server said of an object, without its name before it:
// what is said alike of many is to be read once.
func said(err error, name string) string {
	text := inFull(err)
	if _, reason, ok := strings.Cut(text, fmt.Sprintf("%q is ", name)); ok {
		return strings.TrimPrefix(reason, "forbidden: ")
	}
	return text
}

// refusal is what the API server said to a write, and what to do about it.
func refusal(err error) string {
	switch {
	case outdated(err):
		return "it changed while it was to be written; run the command again"
	case apierrors.IsForbidden(err):
		return "the API server refused: " + inFull(err)
	}
	return cluster.Reason(err)
}

// inFull is an error in full: that it is forbidden is said in the words of the
// policy or the webhook that forbids it.
func inFull(err error) string {
	if apierrors.IsForbidden(err) {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	return cluster.Reason(err)
}
