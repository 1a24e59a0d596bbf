package finalizers

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// session is a cluster whose types are known.
type session struct {
	source *live.Server
	types  []stuck.Type
	view   *cluster.View
}

// open connects to the cluster and reads its types. The context that it returns limits the reads.
func open(ctx context.Context, config *rest.Config) (context.Context, *session, error) {
	ctx = cluster.WithReadBudget(ctx, max(find.ReadBudget, 3*config.Timeout))
	source, err := live.Connect(config, time.Now) //nolint:forbidigo // what this program reads is judged by the time at which it reads it
	if err != nil {
		return nil, nil, err
	}
	types, gaps, err := find.Types(ctx, source)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the types of the cluster: %w", err)
	}
	return ctx, &session{source: source, types: types, view: find.NewView(ctx, source, types, gaps)}, nil
}

// diagnose says why the objects are stuck.
func (s *session) diagnose(ctx context.Context, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	known, err := catalog.Load()
	if err != nil {
		return nil, err
	}
	return diagnose.Objects(ctx, s.view, known, objects)
}
