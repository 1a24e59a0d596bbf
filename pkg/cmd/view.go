package cmd

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// addProbe adds the flag for dry runs.
func addProbe(c *cobra.Command, probe *bool) {
	c.Flags().BoolVar(probe, "probe", true, "If true, check with dry runs, which change nothing, whether the API server accepts the removal of the finalizers. Needs permission to patch the objects.")
}

// newView opens a view of the cluster, which sends dry runs if probe is set.
func (s servedTypes) newView(ctx context.Context, source cluster.Source, probe bool) *cluster.View {
	var options []cluster.Option
	switch {
	case !hasAPIServer(source):
		options = append(options, cluster.WithoutProbes("not sent: a dump has no API server"))
	case !probe:
		options = append(options, cluster.WithoutProbes("disabled (--probe=false)"))
	}
	view := cluster.NewView(ctx, source, s.types, s.gaps, options...)
	if err := checkClock(source); err != nil {
		view.AddGaps(stuck.Gap{Source: "the time", Error: err.Error()})
	}
	return view
}

// maxClockSkew is the difference between two clocks beyond which one must be wrong.
const maxClockSkew = 24 * time.Hour

// checkClock returns an error if the server's clock and the local clock are so far apart
// that one of them is wrong, or that a proxy replaces the Date of responses. Ages and
// Leases are judged by the server's clock.
func checkClock(source cluster.Source) error {
	server, ok := source.(interface{ ClockSkew() time.Duration })
	if !ok || server.ClockSkew().Abs() <= maxClockSkew {
		return nil
	}
	direction := "ahead of"
	if server.ClockSkew() < 0 {
		direction = "behind"
	}
	return fmt.Errorf("the API server's clock (the Date of its responses) is %s %s the clock of this machine: ages and Leases may be judged wrongly; correct the wrong clock",
		duration.HumanDuration(server.ClockSkew().Abs()), direction)
}
