package cmd

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

// keepNeeded keeps what others need that are not deleted. What is kept may in turn need something, until nothing more does.
func (r *sweepRun) keepNeeded(ctx context.Context) error {
	for !r.acceptLater && r.refusal == "" {
		selected := r.selected(sweep.Delete)
		if len(selected) == 0 {
			return nil
		}
		others, gaps, err := preflight.FindOthers(ctx, preflight.Options{
			Source: r.source, Types: r.served.types, DiscoveryGaps: r.served.gaps, View: r.served.newView(ctx, r.source, false), Catalog: r.known, Selected: selected,
		})
		if err != nil {
			return err
		}
		r.addGaps(gaps)
		if !sweep.KeepNeeded(r.items, others) {
			return nil
		}
		sweep.KeepNamespaces(r.items)
	}
	return nil
}

// controllersOf are the namespaces of the controllers of what is deleted and has finalizers, where it may be deleted with them: they
// run until it no longer exists.
func (r *sweepRun) controllersOf(ctx context.Context, selected, content []stuck.Object) (map[stuck.ObjectKey][]string, error) {
	if len(selected) < 2 || r.refusal != "" {
		return nil, nil
	}
	objects := slices.DeleteFunc(slices.Concat(selected, content), func(o stuck.Object) bool { return o.IsNamespace() || len(o.Finalizers) == 0 })
	if len(objects) == 0 {
		return nil, nil
	}
	view := r.served.newView(ctx, r.source, false)
	found, err := preflight.ControllerNamespacesOf(ctx, view, r.known, deduplicate(objects))
	r.addGaps(view.AllGaps())
	return found, err
}

// addGaps adds gaps that are not known yet.
func (r *sweepRun) addGaps(gaps []stuck.Gap) {
	for _, gap := range gaps {
		if !slices.ContainsFunc(r.gaps, func(g stuck.Gap) bool { return g.Source == gap.Source && g.Error == gap.Error }) {
			r.gaps = append(r.gaps, gap)
		}
	}
}
