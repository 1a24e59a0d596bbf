package cmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
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
	return find.NewView(ctx, source, s.types, s.gaps, options...)
}
