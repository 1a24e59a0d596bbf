package removal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DryRun sends every request of the plan as a dry run, so that admission,
// schemas and quotas answer before anything changes. It returns all that is rejected,
// and apart from it what was deleted meanwhile. An error means that the API server
// could not be asked.
func (r *Run) DryRun(ctx context.Context) (refused, gone []Refusal, err error) {
	steps, eventCount := len(r.Plan.Steps), len(r.Plan.Events)
	answers := make([]error, steps+eventCount)
	items := make([]int, len(answers))
	for i := range items {
		items[i], answers[i] = i, errNotAttempted
	}
	done := 0
	runQueue(ctx, items, func(ctx context.Context, i int) error {
		if i < steps {
			answers[i] = r.dryRunStep(ctx, r.Plan.Steps[i])
		} else {
			event := r.Plan.Events[i-steps]
			answers[i] = r.Writer.Send(ctx, event.Request(event.SelectSteps(r.Plan.Steps), r.Source.Now()), true)
		}
		return retryableError(answers[i])
	}, func(int) {
		if done++; r.Progress != nil {
			r.Progress(done, len(items))
		}
	})
	for i, answer := range answers {
		switch {
		case answer == nil:
		case hasNoResponse(answer):
			return nil, nil, fmt.Errorf("sending the plan as a dry run: %w", answer)
		case i >= steps:
			refused = append(refused, eventRefusal(r.Plan.Events[i-steps], answer))
		case isGone(answer, r.Plan.Steps[i].Object):
			gone = append(gone, Refusal{Object: r.Plan.Steps[i].Object, Reason: "it was deleted meanwhile", Fix: stuck.Step{Action: stuck.ActionChange, Description: "run the command again; nothing is to be done for it"}})
		default:
			refused = append(refused, stepRefusal(r.Plan.Steps[i].Object, answer))
		}
	}
	return refused, gone, nil
}

// errNotAttempted is the error of what a canceled run has not come to.
var errNotAttempted = errors.New("interrupted")

func (r *Run) dryRunStep(ctx context.Context, step Step) error {
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

// isGone reports whether an answer means that the object itself does not exist. In a
// namespace that does not exist either, nothing can be found.
func isGone(err error, o stuck.Object) bool {
	var answer apierrors.APIStatus
	if !cluster.IsObjectNotFound(err) || !errors.As(err, &answer) {
		return false
	}
	details := answer.Status().Details
	return details != nil && details.Name == o.Name && details.Kind == o.Type.Resource
}

func stepRefusal(o stuck.Object, err error) Refusal {
	if apitext.IsOutdated(err) {
		return Refusal{Object: o, Reason: "it changed during the dry run", Fix: stuck.Step{Action: stuck.ActionChange, Description: "run the command again"}}
	}
	if mayBeWritten(err) { // trouble of the API server, not its answer to the request
		return Refusal{Object: o, Reason: "the dry run failed: " + apitext.ErrorMessage(err), Fix: stuck.Step{Action: stuck.ActionChange, Description: "run the command again"}}
	}
	return Refusal{
		Object: o, Reason: "the API server rejects the dry run: " + rejectionText(err),
		Fix: stuck.Step{Action: stuck.ActionCheck, Description: "see what rejects it", Command: explainCommand(o)},
	}
}

func eventRefusal(n PlannedEvent, err error) Refusal {
	return Refusal{
		Object: n.InvolvedObject, Reason: "the API server rejects the dry run of an Event about it" + stuck.InNamespace(n.Namespace()) + ": " + rejectionText(err),
		Fix: stuck.Step{Action: stuck.ActionChange, Description: "leave out --record-event"},
	}
}

// rejectionText is why the API server rejects a request, without the name of the object:
// what it says of many objects is printed once.
func rejectionText(err error) string {
	rejection := apitext.RejectionFromError(err)
	if rejection == nil {
		return apitext.WithoutObject(fullMessage(err))
	}
	switch rejection.By {
	case apitext.WebhookFailed:
		return fmt.Sprintf("failed calling webhook %s: %s", rejection.Name, rejection.Message)
	case apitext.WebhookNoDryRun:
		return fmt.Sprintf("admission webhook %s does not support dry run", rejection.Name)
	case apitext.PolicyDenied:
		return fmt.Sprintf("%s %s denied the request: %s", rejection.PolicyKind, rejection.Name, rejection.Message)
	case apitext.ValidationFailed:
		var fields []string
		for _, f := range rejection.Fields {
			fields = append(fields, f.Field+": "+f.Message)
		}
		return "the object is invalid: " + strings.Join(fields, "; ")
	}
	return fmt.Sprintf("admission webhook %s denied the request: %s", rejection.Name, rejection.Message)
}

// writeErrorText is what the API server said to a write, and what to do about it.
func writeErrorText(err error) string {
	var unconfirmed unconfirmedError
	switch {
	case errors.As(err, &unconfirmed):
		return unconfirmed.Error()
	case apitext.IsOutdated(err):
		return "it changed before the write; run the command again"
	case apierrors.IsForbidden(err):
		return "the API server rejected the write: " + fullMessage(err)
	}
	return apitext.ErrorMessage(err)
}

// fullMessage is an error in full: that it is forbidden is said in the words of the
// policy or the webhook that forbids it.
func fullMessage(err error) string {
	if apierrors.IsForbidden(err) {
		return strings.Join(strings.Fields(err.Error()), " ")
	}
	return apitext.ErrorMessage(err)
}
