package removal

import (
	"context"
)

// Tell posts the Events of the plan for what was done, and gives what could not
// be posted, in words.
func (r *Run) Tell(ctx context.Context) (failed []string) {
	var items []int
	done := map[int][]Step{}
	why := make([]error, len(r.Plan.Notices))
	for i, n := range r.Plan.Notices {
		for _, place := range n.Steps {
			if r.results[place].sent && r.results[place].Outcome == Done {
				done[i] = append(done[i], r.results[place].Step)
			}
		}
		if len(done[i]) > 0 {
			items, why[i] = append(items, i), errNotTried
		}
	}
	work(ctx, items, func(ctx context.Context, i int) error {
		why[i] = r.tell(ctx, r.Plan.Notices[i], done[i])
		return passing(why[i])
	}, func(int) {})
	for i, err := range why {
		if err != nil {
			failed = append(failed, r.Plan.Notices[i].About.Ref()+": "+refusal(err))
		}
	}
	return failed
}

func (r *Run) tell(ctx context.Context, n Notice, done []Step) error {
	request := n.Request(done, r.Source.Now())
	entry := done[0].entry(request)
	entry.Object, entry.Namespace, entry.UID = n.About.Ref(), n.About.Namespace, string(n.About.UID)
	if err := r.Audit.Append(entry, Begun); err != nil {
		return err
	}
	err := r.Writer.Send(context.WithoutCancel(ctx), request, false)
	result := "done: posted"
	if err != nil {
		result = "failed: " + refusal(err)
	}
	if noted := r.Audit.Append(entry, result); err == nil {
		err = noted
	}
	return err
}
