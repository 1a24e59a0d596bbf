package cmd

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/wait"
)

// watch is how the API server is watched, nil for a source that is none.
func (o *waitOptions) watch() func(context.Context, wait.Scope, wait.Observer) {
	server, ok := o.source.(*live.Server)
	if !ok {
		return nil
	}
	return func(ctx context.Context, scope wait.Scope, observer wait.Observer) {
		selection := live.TypeSelection{Type: scope.Type, Selection: scope.Selection, WithNotDeleted: true}
		server.Follow(ctx, []live.TypeSelection{selection}, func(c live.Change) {
			if c.Relisted {
				observer.Listed(slices.Concat(c.Deleting, c.NotDeleted))
				return
			}
			observer.Changed(c.Object, c.Removed)
		}, func(_ stuck.Type, err error) { observer.Failed(err) })
	}
}
