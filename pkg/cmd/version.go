package cmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

func (p Program) newVersion(flags *genericclioptions.ConfigFlags) *cobra.Command {
	client, format := false, formatFlag{}
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the plugin and of the cluster",
		Long: `Print the versions of the plugin and of the cluster.

-o json and -o yaml also print the git commit and its date, and the versions of
Go and of k8s.io/client-go with which the plugin was built.`,
		Example: `  # The version of the plugin only
  kubectl finalizers version --client

  # Everything about the build, for a bug report
  kubectl finalizers version -o yaml`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := format.check(); err != nil {
				return err
			}
			build, _ := debug.ReadBuildInfo()
			own := clientVersion(build)
			if client {
				return p.printVersion(report.NewVersion(own, ""), format)
			}
			// As with kubectl, the version of the plugin is printed when no API server can be reached.
			server, err := p.serverVersion(c.Context(), flags)
			return errors.Join(p.printVersion(report.NewVersion(own, server), format), err)
		},
	}
	c.Flags().BoolVar(&client, "client", false, "If true, shows client version only (no server required).")
	format.addTo(c, "json", "yaml")
	return c
}

func (p Program) serverVersion(ctx context.Context, flags *genericclioptions.ConfigFlags) (string, error) {
	source, err := p.Connect(flags)
	if err != nil {
		return "", err
	}
	return source.Version(ctx)
}

func (p Program) printVersion(v report.Version, format formatFlag) error {
	if format.chosen != "" {
		return format.printDocument(&v, p.Streams.Out)
	}
	fmt.Fprintf(p.Streams.Out, "kubectl-finalizers %s (%s, %s)\n", v.Client.Version, v.Client.GoVersion, v.Client.Platform)
	if v.Server != "" {
		fmt.Fprintf(p.Streams.Out, "Kubernetes %s\n", v.Server)
	}
	return nil
}

// clientVersion is this build, by what Go wrote into the program. build is nil for a program that was built without modules.
func clientVersion(build *debug.BuildInfo) report.ClientVersion {
	v := report.ClientVersion{Version: version, GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if build == nil {
		return v
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.time":
			v.Date = setting.Value
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	for _, module := range build.Deps {
		if module.Path != "k8s.io/client-go" {
			continue
		}
		if module.Replace != nil {
			module = module.Replace
		}
		v.ClientGoVersion = module.Version
	}
	return v
}
