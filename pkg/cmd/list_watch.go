package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// batchInterval is how long changes are collected before they are printed. Most
	// deletions end within it.
	batchInterval = 3 * time.Second
	// recheckInterval is how often all stuck objects are diagnosed again: the cause may
	// change while the object does not.
	recheckInterval = time.Minute
)

// checkWatch refuses flags that cannot be used with --watch.
func (f listFlags) checkWatch() error {
	switch {
	case !f.watch:
		return nil
	case !f.output.table() && f.output.Format != "name" && f.output.Format != "json":
		return errors.New("--watch prints a line for each event: use it without -o, or with -o wide, -o name or -o json")
	case f.outputFile.path != "":
		return errors.New("--watch cannot be used with --output-file: it runs until it is interrupted")
	case f.from.path != "":
		return errors.New("--watch needs an API server: leave out --watch or --from")
	case f.exitCode:
		return errors.New("--watch cannot be used with --exit-code: it runs until it is interrupted")
	case f.all:
		return errors.New("--watch cannot be used with --all: it watches objects that are being deleted")
	}
	return nil
}

// follower watches for changes after a list. It holds the objects that are being deleted,
// and no others.
type follower struct {
	*listOptions
	served  servedTypes
	catalog *catalog.Catalog

	mu        sync.Mutex
	objects   map[types.UID]*trackedObject
	watchGaps []stuck.Gap // that are not printed yet
}

// follow prints events until it is interrupted, which is no failure.
func (o *listOptions) follow(ctx context.Context, f *follower, targets []target, found []stuck.Object, printed []*stuck.Diagnosis) error {
	server, ok := o.source.(*live.Server)
	if !ok {
		return errors.New("--watch needs an API server")
	}
	f.objects = map[types.UID]*trackedObject{}
	for _, object := range found {
		f.track(object, false)
	}
	for _, d := range printed {
		if tracked := f.objects[d.Object.UID]; tracked != nil {
			tracked.printed, tracked.changed = f.rowKey(d), false
		}
	}
	return f.run(cluster.WithoutReadBudget(ctx), server, f.parts(targets))
}

func (f *follower) run(ctx context.Context, server *live.Server, parts []live.TypeSelection) error {
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer stop()
	watching.Go(func() {
		server.Follow(ctx, parts, f.handleChange, f.addWatchGap)
	})
	batchTicker, recheckTicker := time.NewTicker(batchInterval), time.NewTicker(recheckInterval)
	defer batchTicker.Stop()
	defer recheckTicker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-recheckTicker.C:
			f.markAllChanged()
		case <-batchTicker.C:
			f.printWatchGaps()
			if err := f.printChanges(ctx); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// parts are the types that the list has read, except Events: there are too many of them,
// and they expire.
func (f *follower) parts(targets []target) []live.TypeSelection {
	var parts []live.TypeSelection
	for _, target := range targets {
		for _, t := range target.types() {
			parts = append(parts, live.TypeSelection{Type: t, Selection: cluster.Selection{Namespace: f.namespace, Labels: f.selector, Name: target.Name}})
		}
	}
	if len(targets) > 0 {
		return parts
	}
	for _, t := range cluster.SurveyedTypes(f.served.types, f.namespace) {
		if !t.IsEvent() {
			parts = append(parts, live.TypeSelection{Type: t, Selection: cluster.Selection{Namespace: f.namespace, Labels: f.selector}})
		}
	}
	if t, err := f.served.resolve("namespaces"); err == nil && f.namespace != "" && f.selector == "" {
		parts = append(parts, live.TypeSelection{Type: t, Selection: cluster.Selection{Name: f.namespace}})
	}
	return parts
}

// addWatchGap records that a type cannot be watched.
func (f *follower) addWatchGap(t stuck.Type, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchGaps = append(f.watchGaps, stuck.Gap{Source: t.String(), Error: apitext.ErrorMessage(err)})
}

// printWatchGaps prints which types cannot be watched, those with the same error in one
// line.
func (f *follower) printWatchGaps() {
	f.mu.Lock()
	refused := f.watchGaps
	f.watchGaps = nil
	f.mu.Unlock()
	slices.SortFunc(refused, func(a, b stuck.Gap) int { return strings.Compare(a.Source, b.Source) })
	for _, line := range report.GapLines(refused) {
		fmt.Fprintf(f.program.Streams.ErrOut, "could not watch %s\n", oneLine(line))
	}
}

// printChanges diagnoses the objects that have changed, and prints the events.
func (f *follower) printChanges(ctx context.Context) error {
	ctx = cluster.WithReadBudget(ctx, find.ReadBudget) // a server that hangs for some time does not end the watch
	objects, gone := f.pending()
	gone = slices.DeleteFunc(gone, func(d *stuck.Diagnosis) bool { return !f.isGone(ctx, d.Object) })
	if len(objects) == 0 && len(gone) == 0 {
		return nil
	}
	view := f.served.newView(ctx, f.source, f.probe)
	diagnoses, err := f.diagnose(ctx, view, f.catalog, objects)
	if err != nil {
		return err
	}
	events := map[report.Event][]*stuck.Diagnosis{report.EventGone: gone}
	for _, d := range diagnoses {
		event := f.updatePrinted(d)
		events[event] = append(events[event], d)
	}
	for _, event := range []report.Event{report.EventStuck, report.EventChanged, report.EventGone} {
		if err := f.printEvents(event, events[event]); err != nil {
			return err
		}
	}
	return nil
}

// isGone reports whether an object was deleted, and not merely is no longer selected: a
// watch with a selector reports both in the same way. If the API server cannot say, it is
// asked again the next time.
func (f *follower) isGone(ctx context.Context, o stuck.Object) bool {
	if f.selector == "" {
		return true
	}
	m, err := f.source.Metadata(ctx, o.Type, o.Namespace, o.Name)
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		f.retryLater(o)
	}
	return cluster.IsObjectNotFound(err) || err == nil && m.UID != o.UID
}
