// Package health checks whether controllers can do their work: lists, watches and
// informers of each type, as controllers use them, and what they depend on. One file
// per check.
//
// Its law: it only reads, and what it may not read is a gap, never a problem.
package health

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

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

// Options say what to check.
type Options struct {
	// Checks are the names of the checks to run.
	Checks []string
	// Types are the types to check, and Namespace where, empty for all namespaces.
	Types     []stuck.Type
	Namespace string
	// Served are all types that the server serves.
	Served []stuck.Type
	// Duration is how long watches and informers are kept open. A watch that asks for
	// less than three seconds gets no bookmark.
	Duration time.Duration
	// KubectlCache are the types in kubectl's discovery cache, nil where there is none.
	KubectlCache []schema.GroupResource
	// ControllerMetrics also reads the metrics of the controllers themselves.
	ControllerMetrics bool
	// Clock is the clock of this machine, which measures durations.
	Clock func() time.Time
	// Progress, where set, is called with how many types have been read, and how many
	// of their objects are being deleted.
	Progress func(done, total, deleting int)
	// OnCheck, where set, is called when the checks begin and when each of them ends, with
	// how many have ended.
	OnCheck func(done, total int)
}

// checker is what the checks of one run share.
type checker struct {
	Options
	server  *live.Server
	view    *cluster.View
	catalog *catalog.Catalog
	// lists is the result of the first list of each type.
	lists    []listResult
	snapshot snapshot
	// streams are the results of the streamed lists, read once.
	streams func() map[schema.GroupVersionResource]streamResult
}

// Run runs the checks. The error is that of a server that does not respond, of a user who
// may not list a single type, or of a canceled context: with that comes what was found until
// then.
func Run(ctx context.Context, server *live.Server, view *cluster.View, known *catalog.Catalog, options Options) (stuck.Health, error) {
	began := options.Clock()
	c := &checker{Options: options, server: server, view: view, catalog: known}
	version, err := server.Version(ctx)
	if err != nil {
		return stuck.Health{}, err
	}
	if err := c.prepare(ctx); err != nil && ctx.Err() == nil {
		return stuck.Health{}, err
	}
	types := newTypes(c.lists)
	out := stuck.Health{
		Version: version, AvailableChecks: len(Checks), Namespace: c.Namespace,
		Checks:       c.runChecks(ctx, types),
		StuckObjects: c.countStuck(),
		Types:        types.sorted(),
		Gaps:         c.needWatchRights(view.AllGaps()),
	}
	if c.snapshot.hasRead(cluster.NamespaceType) {
		out.DeletingNamespaces = append([]stuck.Object{}, c.snapshot.deletingNamespaces()...)
	}
	out.Duration = c.Clock().Sub(began)
	if ctx.Err() != nil {
		markInterrupted(&out)
	}
	if c.isLimited() {
		for _, t := range c.Types {
			out.OnlyTypes = append(out.OnlyTypes, t.String())
		}
	}
	return out, ctx.Err()
}

// runChecks runs the checks at the same time.
func (c *checker) runChecks(ctx context.Context, types *typeResults) []stuck.Check {
	c.streams = sync.OnceValue(func() map[schema.GroupVersionResource]streamResult { return c.probeStreams(ctx) })
	checks := make([]stuck.Check, len(Checks))
	var mu sync.Mutex
	done, total := 0, len(c.Checks)
	report := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if done += n; c.OnCheck != nil {
			c.OnCheck(done, total)
		}
	}
	report(0)
	var running sync.WaitGroup
	for i, name := range Checks {
		if slices.Contains(c.Checks, name) {
			running.Go(func() {
				checks[i] = c.runCheck(ctx, name, types)
				checks[i].Name = name
				sortByImpact(checks[i].Problems)
				report(1)
			})
		}
	}
	running.Wait()
	return slices.DeleteFunc(checks, func(done stuck.Check) bool { return done.Name == "" })
}

// runCheck runs one check. Of a server that answers no list only its own health can be
// read, and what cannot be listed cannot be watched.
func (c *checker) runCheck(ctx context.Context, name string, types *typeResults) stuck.Check {
	if c.noListAnswered() && name != APIServices && name != List {
		return stuck.Check{Incomplete: true, Inconclusive: true, Summary: "not checked: the API server answers no list"}
	}
	if (name == Watch || name == Informers) && c.hasListFailures() && !slices.ContainsFunc(c.lists, listResult.isWatchable) {
		return stuck.Check{Incomplete: true, Inconclusive: true, Summary: "not checked: no watchable type could be listed"}
	}
	if ctx.Err() != nil && name != List { // before it began
		return interruptedCheck(name, stuck.Check{})
	}
	out := checkFuncs[name](ctx, c, types)
	if ctx.Err() != nil {
		return interruptedCheck(name, out)
	}
	return out
}

// sortByImpact puts the worst problems first, and of those the ones that block most deletions.
func sortByImpact(all []stuck.Problem) {
	slices.SortStableFunc(all, func(a, b stuck.Problem) int {
		return cmp.Or(cmp.Compare(b.State.Rank(), a.State.Rank()), cmp.Compare(len(stuck.BlockedBy(b)), len(stuck.BlockedBy(a))))
	})
}

// checkFuncs are the functions of the checks.
var checkFuncs = map[string]func(context.Context, *checker, *typeResults) stuck.Check{
	APIServices: checkAPIServices,
	List:        checkList,
	Watch:       checkWatch,
	Informers:   checkInformers,
	Watchers:    checkWatchers,
	Controllers: checkControllers,
	Webhooks:    checkWebhooks,
}

// needWatchRights asks for the right to watch with the right to list, where the type was
// to be watched too: one request to an administrator is enough.
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
		// What cannot be listed cannot be watched: then the list is the problem.
		c.Checks = append(slices.Clone(c.Checks), List)
	}
	if c.lists = c.listAll(ctx); ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.nothingListed(); err != nil {
		return err
	}
	if !c.noListAnswered() && c.hasCheck(List, APIServices, Watchers, Controllers, Webhooks) {
		var err error
		if c.snapshot, err = c.takeSnapshot(ctx, c.server); err != nil {
			return err
		}
	}
	if c.hasCheck(Watchers, Webhooks) {
		// Before this program opens watches of its own, and after its lists.
		c.view.Metrics()
	}
	return ctx.Err()
}

func (c *checker) hasCheck(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(c.Checks, name) })
}

// isLimited reports whether the checks are limited to some types.
func (c *checker) isLimited() bool {
	return len(c.Types) < len(cluster.SurveyedTypes(c.Served, c.Namespace))
}

// includesType reports whether the checks are about a type.
func (c *checker) includesType(group, resource string) bool {
	return !c.isLimited() || slices.ContainsFunc(c.Types, func(t stuck.Type) bool { return t.Group == group && t.Resource == resource })
}

// includesGroup reports whether the checks are about types of an API group, or about
// namespaces: to delete one takes every group.
func (c *checker) includesGroup(group string) bool {
	return c.includesType("", "namespaces") || slices.ContainsFunc(c.Types, func(t stuck.Type) bool { return t.Group == group })
}
