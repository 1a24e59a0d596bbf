package cmd

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

func (p Program) newVersion(flags *genericclioptions.ConfigFlags) *cobra.Command {
	client := false
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the plugin and of the cluster",
		Example: `  # The version of the plugin only
  kubectl finalizers version --client`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			fmt.Fprintf(p.Streams.Out, "kubectl-finalizers %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			if client {
				return nil
			}
			source, err := p.Connect(flags)
			if err != nil {
				return err
			}
			server, err := source.Version(c.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(p.Streams.Out, "Kubernetes %s\n", server)
			return nil
		},
	}
	c.Flags().BoolVar(&client, "client", false, "If true, shows client version only (no server required).")
	return c
}
