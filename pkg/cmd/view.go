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

// addProbe adds the flag that keeps a command from sending dry runs.
func addProbe(c *cobra.Command, probe *bool) {
	c.Flags().BoolVar(probe, "probe", true, "Ask the API server, as a dry run that changes nothing, whether it would let the finalizers be removed, where you may patch the objects.")
}

// newView opens a view of the cluster, which sends dry runs if that was not
// forbidden.
func (s servedTypes) newView(ctx context.Context, source cluster.Source, probe bool) *cluster.View {
	var options []cluster.Option
	if !probe {
		options = append(options, cluster.WithoutProbes())
	}
	view := cluster.NewView(ctx, source, s.types, s.gaps, options...)
	if err := checkClock(source); err != nil {
		view.AddGaps(stuck.Gap{Source: "the time", Error: err.Error()})
	}
	return view
}

// maxClockSkew is how far two clocks may be apart that are merely badly set.
const maxClockSkew = 24 * time.Hour

// checkClock is an error where the server's clock and our own are so far apart that
// one of them is wrong, or something between the two replaces the Date of
// answers. How long anything is stuck, and whether a lease is held, is judged by
// the server's.
func checkClock(source cluster.Source) error {
	server, ok := source.(interface{ ClockSkew() time.Duration })
	if !ok || server.ClockSkew().Abs() <= maxClockSkew {
		return nil
	}
	direction := "ahead of"
	if server.ClockSkew() < 0 {
		direction = "behind"
	}
	return fmt.Errorf("the API server's clock (the Date of its answers) is %s %s this machine's: ages and leases may be judged wrongly; correct the wrong one",
		duration.HumanDuration(server.ClockSkew().Abs()), direction)
}
