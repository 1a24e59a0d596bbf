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
}

// maxViewAge is how long what was read counts as fresh: for a thousand similar objects
// the same workloads need not be read a thousand times.
const maxViewAge = 5 * time.Second

// maxDiagnosisTime is how long the reads of a view may take together. What was not
// read by then is a gap, and the step that needed it is refused.
const maxDiagnosisTime = 2 * time.Minute

// maxAhead is how many objects are diagnosed ahead: about as many as are written while what was
// read is fresh.
const maxAhead = 500

// Diagnose diagnoses an object on fresh evidence. What is read for it serves those that come next too,
// which are diagnosed with it: the diagnosis of each is used as long as the evidence is fresh and the object has not
// changed.
func (d *Diagnoser) Diagnose(ctx context.Context, o stuck.Object, next func(n int) []stuck.Object) (*stuck.Diagnosis, error) {
	if known, err := d.ahead(ctx, o, next); known != nil || err != nil {
		return known, err
	}
	view, err := d.freshView(ctx)
	if err != nil {
		return nil, err
	}
	diagnoses, err := diagnose.Objects(ctx, view, d.Catalog, []stuck.Object{o})
	if err != nil {
		return nil, err
	}
	return diagnoses[0], nil
}

// ahead returns the diagnosis of an object that was diagnosed with others, or is now; nil where none comes next.
func (d *Diagnoser) ahead(ctx context.Context, o stuck.Object, next func(n int) []stuck.Object) (*stuck.Diagnosis, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.known[o.UID]; known != nil && known.Object.ResourceVersion == o.ResourceVersion && d.isFresh() {
		return known, nil
	}
	others := slices.DeleteFunc(next(maxAhead), func(other stuck.Object) bool { return other.UID == o.UID })
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
	return diagnoses[0], nil
}

// Invalidate makes the Diagnoser read everything again: something has changed.
func (d *Diagnoser) Invalidate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view, d.known = nil, nil
}

func (d *Diagnoser) freshView(ctx context.Context) (*cluster.View, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isFresh() {
		return d.view, nil
	}
	if err := d.renew(ctx); err != nil {
		return nil, err
	}
	return d.view, nil
}

func (d *Diagnoser) isFresh() bool {
	return d.view != nil && d.Source.Now().Sub(d.viewTime) < maxViewAge
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
