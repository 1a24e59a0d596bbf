package removal

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Diagnoser diagnoses objects again, right before they are written.
type Diagnoser struct {
	Source  cluster.Source
	Catalog *catalog.Catalog

	mu       sync.Mutex
	view     *cluster.View
	viewTime time.Time
	// known are diagnoses that were made from the view ahead of their steps.
	known map[types.UID]*stuck.Diagnosis
	// late is how often they took so long that what was read was no longer fresh.
	late int
}

// maxViewAge is how long what was read counts as fresh: for a thousand similar objects
// the same workloads need not be read a thousand times.
const maxViewAge = 5 * time.Second

// maxDiagnosisTime is how long the reads of a view may take together. What was not
// read by then is a gap, and the step that needed it is refused.
const maxDiagnosisTime = 2 * time.Minute

// maxAhead is how many objects are diagnosed ahead: about as many as are written while what was
// read is fresh. It is halved each time that this takes too long.
const maxAhead = 500

// Diagnose diagnoses an object on fresh evidence. What is read for it serves those that come next too,
// which are diagnosed with it: the diagnosis of each is used as long as the evidence is fresh and the object has not
// changed. Where that takes so long that the evidence is no longer fresh, the object is diagnosed again, alone, on evidence
// that is read for that.
func (d *Diagnoser) Diagnose(ctx context.Context, o stuck.Object, next func(n int) []stuck.Object) (*stuck.Diagnosis, error) {
	if known, err := d.ahead(ctx, o, next); known != nil || err != nil {
		return known, err
	}
	began := d.Source.Now()
	diagnosis, readSince, err := d.alone(ctx, o, d.freshView)
	if err == nil && readSince.Before(began) && !d.isRecent(readSince) {
		diagnosis, _, err = d.alone(ctx, o, d.newView)
	}
	return diagnosis, err
}

// alone diagnoses one object on a view, and says from when on that was read.
func (d *Diagnoser) alone(ctx context.Context, o stuck.Object, viewFor func(context.Context) (*cluster.View, time.Time, error)) (*stuck.Diagnosis, time.Time, error) {
	view, readSince, err := viewFor(ctx)
	if err != nil {
		return nil, readSince, err
	}
	diagnoses, err := diagnose.Objects(ctx, view, d.Catalog, []stuck.Object{o})
	if err != nil {
		return nil, readSince, err
	}
	return diagnoses[0], readSince, nil
}

// ahead returns the diagnosis of an object that was diagnosed with others, or is now; nil where none comes next, or where it
// took too long.
func (d *Diagnoser) ahead(ctx context.Context, o stuck.Object, next func(n int) []stuck.Object) (*stuck.Diagnosis, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.known[o.UID]; known != nil && known.Object.ResourceVersion == o.ResourceVersion && d.isFresh() {
		return known, nil
	}
	others := slices.DeleteFunc(next(maxAhead>>d.late), func(other stuck.Object) bool { return other.UID == o.UID })
	if len(others) == 0 {
		return nil, nil
	}
	if err := d.renew(ctx); err != nil {
		return nil, err
	}
	diagnoses, err := diagnose.Objects(ctx, d.view, d.Catalog, append([]stuck.Object{o}, others...))
	if err != nil {
		return nil, err
	}
	for _, known := range diagnoses {
		d.known[known.Object.UID] = known
	}
	if !d.isFresh() {
		d.late++
		return nil, nil
	}
	d.late = max(0, d.late-1)
	return diagnoses[0], nil
}

// Invalidate makes the Diagnoser read everything again: something has changed.
func (d *Diagnoser) Invalidate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view, d.known = nil, nil
}

// freshView is a view that is fresh, and the time since which it reads.
func (d *Diagnoser) freshView(ctx context.Context) (*cluster.View, time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isFresh() {
		return d.view, d.viewTime, nil
	}
	err := d.renew(ctx)
	return d.view, d.viewTime, err
}

// newView is freshView with a view that has read nothing yet.
func (d *Diagnoser) newView(ctx context.Context) (*cluster.View, time.Time, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.renew(ctx)
	return d.view, d.viewTime, err
}

func (d *Diagnoser) isFresh() bool { return d.view != nil && d.isRecent(d.viewTime) }

func (d *Diagnoser) isRecent(readSince time.Time) bool {
	return d.Source.Now().Sub(readSince) < maxViewAge
}

// renew makes a view that has read nothing yet.
func (d *Diagnoser) renew(ctx context.Context) error {
	served, gaps, err := d.Source.Types(ctx)
	if err != nil {
		return err
	}
	ctx = cluster.WithReadBudget(ctx, maxDiagnosisTime)
	d.view, d.viewTime, d.known = cluster.NewView(ctx, d.Source, served, gaps), d.Source.Now(), map[types.UID]*stuck.Diagnosis{}
	return nil
}
