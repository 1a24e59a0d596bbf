package removal

import (
	"context"
	"sync"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Judge judges objects anew, right before they are written.
type Judge struct {
	Source  cluster.Source
	Catalog *catalog.Catalog

	mu   sync.Mutex
	view *cluster.View
	made time.Time
}

// freshFor is how long what was read counts as fresh: for a thousand alike
// objects the same workloads need not be read a thousand times.
const freshFor = 5 * time.Second

// Look diagnoses an object on fresh evidence.
func (j *Judge) Look(ctx context.Context, o stuck.Object) (*stuck.Diagnosis, error) {
	see, err := j.fresh(ctx)
	if err != nil {
		return nil, err
	}
	found, err := cause.Diagnose(ctx, see, j.Catalog, []stuck.Object{o})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// Forget makes the judge read everything anew: something has changed.
func (j *Judge) Forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.view = nil
}

func (j *Judge) fresh(ctx context.Context) (*cluster.View, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.view != nil && j.Source.Now().Sub(j.made) < freshFor {
		return j.view, nil
	}
	types, gaps, err := j.Source.Types(ctx)
	if err != nil {
		return nil, err
	}
	j.view, j.made = cluster.NewView(ctx, j.Source, types, gaps), j.Source.Now()
	return j.view, nil
}
