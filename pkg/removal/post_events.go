package removal

import (
	"context"
)

// PostEvents posts the Events of the plan for what was done, and gives what could not
// be posted, in words.
func (r *Run) PostEvents(ctx context.Context) (failed []string) {
	var items []int
	done := map[int][]Step{}
	errs := make([]error, len(r.Plan.Events))
	for i, n := range r.Plan.Events {
		for _, index := range n.StepIndexes {
			if r.results[index].written && r.results[index].Outcome == Done {
				done[i] = append(done[i], r.results[index].Step)
			}
		}
		if len(done[i]) > 0 {
			items, errs[i] = append(items, i), errNotAttempted
		}
	}
	runQueue(ctx, items, func(ctx context.Context, i int) error {
		errs[i] = r.postEvent(ctx, r.Plan.Events[i], done[i])
		if mayBeWritten(errs[i]) {
			return nil // it may have been posted: a second one would report a removal that was not made
		}
		return retryableError(errs[i])
	}, func(int) {})
	for i, err := range errs {
		if err != nil {
			failed = append(failed, r.Plan.Events[i].InvolvedObject.Ref()+": "+writeErrorText(err))
		}
	}
	return failed
}

func (r *Run) postEvent(ctx context.Context, n PlannedEvent, done []Step) error {
	request := n.Request(done, r.Source.Now())
	entry := done[0].auditEntry(request)
	entry.Object, entry.Namespace, entry.UID = n.InvolvedObject.Ref(), n.InvolvedObject.Namespace, string(n.InvolvedObject.UID)
	if err := r.Audit.Append(entry, AuditBegun); err != nil {
		return err
	}
	err := r.Writer.Send(context.WithoutCancel(ctx), request, false)
	result := "done: posted"
	if err != nil {
		result = "failed: " + writeErrorText(err)
	}
	r.Audit.AppendResult(entry, result)
	return err
}
