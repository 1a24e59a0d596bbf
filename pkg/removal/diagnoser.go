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

// Diagnoser judges objects anew, right before they are written.
type Diagnoser struct {
	Source  cluster.Source
	Catalog *catalog.Catalog

	mu       sync.Mutex
	view     *cluster.View
	viewTime time.Time
}

// maxViewAge is how long what was read counts as fresh: for a thousand alike
// objects the same workloads need not be read a thousand times.
const maxViewAge = 5 * time.Second

// maxDiagnosisTime is how long the reads of a view may take together. What was not
// read by then is a gap, and the step that needed it is refused.
const maxDiagnosisTime = 2 * time.Minute

// Diagnose diagnoses an object on fresh evidence.
func (j *Diagnoser) Diagnose(ctx context.Context, o stuck.Object) (*stuck.Diagnosis, error) {
	view, err := j.freshView(ctx)
	if err != nil {
		return nil, err
	}
	diagnoses, err := diagnose.Objects(ctx, view, j.Catalog, []stuck.Object{o})
	if err != nil {
		return nil, err
	}
	return diagnoses[0], nil
}

// Invalidate makes the judge read everything anew: something has changed.
func (j *Diagnoser) Invalidate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.view = nil
}

func (j *Diagnoser) freshView(ctx context.Context) (*cluster.View, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.view != nil && j.Source.Now().Sub(j.viewTime) < maxViewAge {
		return j.view, nil
	}
	types, gaps, err := j.Source.Types(ctx)
	if err != nil {
		return nil, err
	}
	ctx = cluster.WithReadBudget(ctx, maxDiagnosisTime)
	j.view, j.viewTime = cluster.NewView(ctx, j.Source, types, gaps), j.Source.Now()
	return j.view, nil
}
