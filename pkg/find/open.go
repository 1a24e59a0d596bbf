package find

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ReadBudget limits how long all reads of a list or an explanation take together. A survey of
// 320,000 objects takes 10 s with a low latency to the API server (docs/performance.md).
const ReadBudget = 2 * time.Minute

// ErrNotKubernetes is the error of a server that serves no types.
var ErrNotKubernetes = errors.New("not a Kubernetes API server")

// Types reads the types of the cluster. Every cluster has some: a server that has none
// would look like a cluster in which nothing is stuck.
func Types(ctx context.Context, source cluster.Source) ([]stuck.Type, []stuck.Gap, error) {
	types, gaps, err := source.Types(ctx)
	if err == nil && len(types) == 0 && len(gaps) == 0 {
		err = ErrNotKubernetes
	}
	return types, gaps, err
}

// NewView opens a view of the cluster. That its clock may be wrong is a gap of the view.
func NewView(ctx context.Context, source cluster.Source, types []stuck.Type, gaps []stuck.Gap, options ...cluster.Option) *cluster.View {
	view := cluster.NewView(ctx, source, types, gaps, options...)
	if err := CheckClock(source); err != nil {
		view.AddGaps(stuck.Gap{Source: "the time", Error: err.Error()})
	}
	return view
}

// maxClockSkew is the difference between two clocks beyond which one must be wrong.
const maxClockSkew = 24 * time.Hour

// CheckClock returns an error if the server's clock and the local clock are so far apart
// that one of them is wrong, or that a proxy replaces the Date of responses. Ages and
// Leases are judged by the server's clock.
func CheckClock(source cluster.Source) error {
	skew := cluster.ClockSkew(source)
	if skew.Abs() <= maxClockSkew {
		return nil
	}
	direction := "ahead of"
	if skew < 0 {
		direction = "behind"
	}
	return fmt.Errorf("the API server's clock (the Date of its responses) is %s %s the clock of this machine: ages and Leases may be judged wrongly; correct the wrong clock",
		duration.HumanDuration(skew.Abs()), direction)
}
