// Package health examines the list-watch of a cluster with the machinery that
// controllers use: one file per check.
//
// Its law: it reads alone, and what it may not read is a gap, never a problem.
package health

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The checks, by the names that --check takes, in the order of a report.
const (
	APIServices = "apiservices"
	List        = "list"
	Watch       = "watch"
	Informers   = "informers"
	Watchers    = "watchers"
	Controllers = "controllers"
	Webhooks    = "webhooks"
)

// Checks are all of them.
var Checks = []string{APIServices, List, Watch, Informers, Watchers, Controllers, Webhooks}

// Options say what to examine.
type Options struct {
	// Checks are the names of the checks to make.
	Checks []string
	// Types are the types to list and watch, and Namespace where, empty for
	// everywhere.
	Types     []stuck.Type
	Namespace string
	// Served are all types that the server serves.
	Served []stuck.Type
	// Duration is how long watches and informers are kept open. A watch that asks for
	// less than three seconds gets no bookmark.
	Duration time.Duration
	// KubectlCache are the types that kubectl believes the server to have, nil where it
	// has no cache of them.
	KubectlCache []schema.GroupResource
	// ControllerMetrics also reads the metrics of the controllers themselves.
	ControllerMetrics bool
	// Clock is our own clock, by which durations are measured.
	Clock func() time.Time
	// Progress, where set, is told how many types have been read, and how much of
	// what they hold is being deleted.
	Progress func(done, total, deleting int)
}

// checker is what the checks of one run share.
type checker struct {
	Options
	server  *live.Server
	view    *cluster.View
	catalog *catalog.Catalog
	// lists is what the first list of each type gave, by type.
	lists    []listResult
	snapshot snapshot
}

// Run makes the checks. The error is that of a cancelled context, of a server
// that does not answer at all, or of a user who may not list a single type.
func Run(ctx context.Context, server *live.Server, view *cluster.View, known *catalog.Catalog, options Options) (stuck.Health, error) {
	c := &checker{Options: options, server: server, view: view, catalog: known}
	version, err := server.Version(ctx)
	if err != nil {
		return stuck.Health{}, err
	}
	if err := c.prepare(ctx); err != nil {
		return stuck.Health{}, err
	}
	types := newTypes(c.lists)
	checks := make([]stuck.Check, len(Checks))
	group, ctx := errgroup.WithContext(ctx)
	for i, name := range Checks {
		if slices.Contains(c.Checks, name) {
			group.Go(func() error {
				checks[i] = c.runCheck(ctx, name, types)
				checks[i].Name = name
				return ctx.Err()
			})
		}
	}
	if err := group.Wait(); err != nil {
		return stuck.Health{}, err
	}
	return stuck.Health{
		Version: version,
		Checks:  slices.DeleteFunc(checks, func(done stuck.Check) bool { return done.Name == "" }),
		Types:   types.sorted(),
		Gaps:    c.needWatchRights(view.AllGaps()),

		AvailableChecks: len(Checks),
		Narrowed:        c.Namespace != "" || len(c.Types) < len(cluster.SurveyedTypes(c.Served, "")),
	}, nil
}

// runCheck makes one check. A server that answers no list has nothing to tell but
// how it does itself, and what cannot be listed cannot be watched.
func (c *checker) runCheck(ctx context.Context, name string, types *typeResults) stuck.Check {
	if c.noListAnswered() && name != APIServices && name != List {
		return stuck.Check{Incomplete: true, Summary: "not tried, as the API server answers no list"}
	}
	if (name == Watch || name == Informers) && c.hasListFailures() && !slices.ContainsFunc(c.lists, listResult.isWatchable) {
		return stuck.Check{Incomplete: true, Summary: "not tried: of what can be watched, nothing could be listed"}
	}
	return checkFuncs[name](ctx, c, types)
}

// checkFuncs are what makes each check.
var checkFuncs = map[string]func(context.Context, *checker, *typeResults) stuck.Check{
	APIServices: checkAPIServices,
	List:        checkList,
	Watch:       checkWatch,
	Informers:   checkInformers,
	Watchers:    checkWatchers,
	Controllers: checkControllers,
	Webhooks:    checkWebhooks,
}

// needWatchRights asks for the right to watch what could not be listed, where it was to
// be watched too: nobody asks an administrator twice.
func (c *checker) needWatchRights(gaps []stuck.Gap) []stuck.Gap {
	for i, gap := range gaps {
		if gap.MissingPermission == nil || gap.MissingPermission.Verb != "list" || !c.hasCheck(Watch, Informers) {
			continue
		}
		if slices.ContainsFunc(c.Types, func(t stuck.Type) bool {
			return t.Watchable && t.Group == gap.MissingPermission.Group && t.Resource == gap.MissingPermission.Resource
		}) {
			needs := *gap.MissingPermission
			needs.Verb = "watch"
			gaps[i].MissingPermission = &needs
		}
	}
	return gaps
}

// prepare reads what several checks need: the first object of each type, and
// what is being deleted.
func (c *checker) prepare(ctx context.Context) error {
	if c.hasCheck(Watch, Informers) && !c.hasCheck(List) {
		// What cannot be listed cannot be watched: that is where the fault is.
		c.Checks = append(slices.Clone(c.Checks), List)
	}
	c.lists = c.listAll(ctx)
	if err := c.nothingListed(); err != nil {
		return err
	}
	if !c.noListAnswered() && c.hasCheck(List, APIServices, Watchers, Controllers, Webhooks) {
		var err error
		if c.snapshot, err = c.takeSnapshot(ctx); err != nil {
			return err
		}
	}
	if c.hasCheck(Watchers, Webhooks) {
		// Before this examination opens watches of its own, and after its lists.
		c.view.Metrics()
	}
	return ctx.Err()
}

func (c *checker) hasCheck(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(c.Checks, name) })
}
