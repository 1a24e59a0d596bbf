package removal

import (
	"context"
	"sync"
	"time"

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
}

// maxViewAge is how long what was read counts as fresh: for a thousand similar objects
// the same workloads need not be read a thousand times.
const maxViewAge = 5 * time.Second

// maxDiagnosisTime is how long the reads of a view may take together. What was not
// read by then is a gap, and the step that needed it is refused.
const maxDiagnosisTime = 2 * time.Minute

// Diagnose diagnoses an object on fresh evidence.
func (d *Diagnoser) Diagnose(ctx context.Context, o stuck.Object) (*stuck.Diagnosis, error) {
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

// Invalidate makes the Diagnoser read everything again: something has changed.
func (d *Diagnoser) Invalidate() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.view = nil
}

func (d *Diagnoser) freshView(ctx context.Context) (*cluster.View, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.view != nil && d.Source.Now().Sub(d.viewTime) < maxViewAge {
		return d.view, nil
	}
	types, gaps, err := d.Source.Types(ctx)
	if err != nil {
		return nil, err
	}
	ctx = cluster.WithReadBudget(ctx, maxDiagnosisTime)
	d.view, d.viewTime = cluster.NewView(ctx, d.Source, types, gaps), d.Source.Now()
	return d.view, nil
}
