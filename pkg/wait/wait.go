package wait

import (
	"context"
	"sync"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Options say what to wait for, and for how long.
type Options struct {
	// Targets are the objects to wait for. An object is known by its uid.
	Targets []stuck.Object
	// Types are the types that the server serves.
	Types  []stuck.Type
	Source cluster.Source
	// Watch watches a scope until the context ends, or until it is clear that the scope
	// cannot be watched. It is nil for a source without watches.
	Watch func(context.Context, Scope, Observer)
	// Timeout is how long to wait in all. With zero the targets are read once.
	Timeout time.Duration
	// Stall is how long nothing may move, zero for any time.
	Stall time.Duration
	// Clock measures both.
	Clock func() time.Time
	// OnDeleted is called for each target when it is deleted, and OnProgress each second
	// with what is left.
	OnDeleted  func(stuck.Object) error
	OnProgress func(stuck.Progress) error
}

// Observer is notified of what a watch of a scope reports.
type Observer struct {
	// Changed has one object in its new state, or in its last.
	Changed func(o stuck.Object, deleted bool)
	// Listed has all objects of the scope, after changes were missed.
	Listed func([]stuck.Object)
	// Failed has why the scope cannot be watched now.
	Failed func(error)
}

// Outcome is how a wait ended.
type Outcome string

// The outcomes. Everything but Deleted leaves objects.
const (
	Deleted  Outcome = "Deleted"
	Stalled  Outcome = "Stalled"
	TimedOut Outcome = "TimedOut"
)

const (
	// tick is how often the time is looked at. It sends no requests.
	tick = time.Second
	// readPause is between two reads of what cannot be watched.
	readPause = 5 * time.Second
)

// waiter is a wait that is under way.
type waiter struct {
	Options
	tracker *tracker
	begun   time.Time
	reads   sync.WaitGroup
	// surveyed are the targets whose content is being read, or has been.
	surveyed map[stuck.ObjectKey]bool
	// inGracePeriod is when an object was last within its grace period.
	inGracePeriod time.Time
}

// Run waits until all targets are deleted, nothing moves any more, or the time is over, and
// returns what is left. The error is that of a canceled context, or of a callback.
func Run(ctx context.Context, o Options) (Outcome, stuck.Progress, error) {
	w := &waiter{Options: o, tracker: newTracker(o.Targets, o.Clock), begun: o.Clock(), surveyed: map[stuck.ObjectKey]bool{}}
	ctx, stop := context.WithCancel(ctx)
	defer w.reads.Wait()
	defer stop()
	if o.Timeout > 0 {
		for _, scope := range scopesOf(o.Targets) {
			w.reads.Go(func() { w.follow(ctx, scope) })
		}
	}
	outcome, err := w.run(ctx)
	return outcome, w.tracker.progress(w.Source.Now()), err
}

func (w *waiter) run(ctx context.Context) (Outcome, error) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if outcome, err := w.step(ctx); outcome != "" || err != nil {
			return outcome, err
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-w.tracker.changed:
		case <-ticker.C:
			if err := w.OnProgress(w.tracker.progress(w.Source.Now())); err != nil {
				return "", err
			}
		}
	}
}

// step reports what has changed, and the outcome if there is one.
func (w *waiter) step(ctx context.Context) (Outcome, error) {
	left, err := w.report()
	if err != nil {
		return "", err
	}
	if len(left) == 0 {
		return Deleted, nil
	}
	if w.Timeout > 0 {
		w.readContent(ctx, left)
	}
	over, stalled := w.Clock().Sub(w.begun) >= w.Timeout, w.stalled()
	if !over && !stalled {
		return "", nil
	}
	// A watch may be silent because its connection is lost.
	read := w.look(ctx)
	if left, err = w.report(); err != nil || ctx.Err() != nil {
		return "", err
	}
	switch {
	case len(left) == 0:
		return Deleted, nil
	case over:
		return TimedOut, nil
	case read && w.stalled():
		return Stalled, nil
	}
	return "", nil
}

// report tells which targets were deleted, and returns the others. These are taken first: a
// target that is deleted in between is in both, never in neither.
func (w *waiter) report() ([]stuck.Object, error) {
	left := w.tracker.remaining()
	for _, o := range w.tracker.takeDeleted() {
		if err := w.OnDeleted(o); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// stalled reports whether nothing has moved for too long. While the API server cannot be read,
// and within a grace period, nothing has to.
func (w *waiter) stalled() bool {
	now := w.Clock()
	if w.Stall <= 0 {
		return false
	}
	if w.tracker.hasGracePeriod(w.Source.Now()) {
		w.inGracePeriod = now
	}
	since, unread := w.tracker.lastMoved()
	for _, other := range []time.Time{unread, w.inGracePeriod} {
		if other.After(since) {
			since = other
		}
	}
	return now.Sub(since) >= w.Stall
}

// look reads what is left, and reports whether all of it could be read.
func (w *waiter) look(ctx context.Context) bool {
	complete := true
	for _, o := range w.tracker.remaining() {
		complete = w.read(ctx, Scope{Type: o.Type, Selection: cluster.Selection{Namespace: o.Namespace, Name: o.Name}}) && complete
	}
	for _, scope := range w.tracker.contentScopes() {
		complete = w.read(ctx, scope) && complete
	}
	return complete
}
