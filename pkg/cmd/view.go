package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// addProbe adds the flag that keeps a command from sending dry runs.
func addProbe(c *cobra.Command, probe *bool) {
	c.Flags().BoolVar(probe, "probe", true, "Ask the API server, as a dry run that changes nothing, whether it would let the finalizers be removed, where you may patch the objects.")
}

// newView opens a view of the cluster, which sends dry runs if that was not
// forbidden.
func (s servedTypes) newView(ctx context.Context, source cluster.Source, probe bool) *cluster.View {
	view := cluster.NewView(ctx, source, s.types, s.gaps)
	if !probe {
		view.DisableProbes()
	}
	return view
}
