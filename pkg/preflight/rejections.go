package preflight

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// deleteProber tries deletions, as the API server does and a recording does not.
type deleteProber interface {
	MayDelete(ctx context.Context, o stuck.Object) (bool, error)
	ProbeDelete(ctx context.Context, o stuck.Object) error
}

// rejection is a deletion that the API server rejects.
type rejection struct {
	object stuck.Object
	apitext.Rejection
}

// tryDeletions sends dry runs of deletions, and returns those that are rejected. What could not
// be tried is a gap.
func tryDeletions(ctx context.Context, source cluster.Source, view *cluster.View, d *deleted) ([]rejection, error) {
	prober, ok := source.(deleteProber)
	if !ok {
		return nil, nil
	}
	objects, left := probedObjects(d)
	addUnprobedGaps(view, objects, left)
	results := make([]*apitext.Rejection, len(objects))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for i, o := range objects {
		group.Go(func() error {
			results[i] = tryDeletion(groupCtx, prober, view, o)
			return groupCtx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var out []rejection
	for i, r := range results {
		if r != nil {
			out = append(out, rejection{objects[i], *r})
		}
	}
	return out, nil
}

func tryDeletion(ctx context.Context, prober deleteProber, view *cluster.View, o stuck.Object) *apitext.Rejection {
	source := "the result of a dry run of the deletion of " + o.RefInNamespace()
	if !view.ServesDryRun(o.Type) {
		return nil
	}
	allowed, err := prober.MayDelete(ctx, o)
	switch {
	case err != nil:
		view.AddGaps(stuck.Gap{Source: "permission to delete " + o.RefInNamespace(), Error: apitext.ErrorMessage(err)})
		return nil
	case !allowed:
		view.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("the result of a dry run of deletions of %s", o.TypeInNamespace()), Error: "not sent: you have no permission to delete", ProbeSkipped: true,
		})
		return nil
	}
	err = prober.ProbeDelete(ctx, o)
	if err == nil || cluster.IsObjectNotFound(err) {
		return nil
	}
	if r := apitext.RejectionFromError(err); r != nil && r.By != apitext.WebhookNoDryRun {
		return r
	}
	view.AddGaps(stuck.Gap{Source: source, Error: apitext.ErrorMessage(err)})
	return nil
}
