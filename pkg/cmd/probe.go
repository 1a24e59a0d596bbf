package cmd

import "github.com/spf13/cobra"

// addProbe adds the flag that keeps a command from sending dry runs.
func addProbe(c *cobra.Command, probe *bool) {
	c.Flags().BoolVar(probe, "probe", true, "Ask the API server, as a dry run that changes nothing, whether it would let the finalizers be removed, where you may patch the objects.")
}
