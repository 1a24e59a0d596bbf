package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

type restoreFlags struct {
	dryRun             cmdutil.DryRunStrategy
	yes                bool
	confirm            string
	fromAnotherCluster bool
	allowUnverified    bool
}

func (p Program) newRestore(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f restoreFlags
	c := &cobra.Command{
		Use:   "restore FILE|DIR",
		Short: "Put back what force-remove took, from its saved copies",
		Long: `Put back what force-remove took. An object that is still there gets its finalizer back, unless it is being deleted,
which cannot be undone. One that is gone is created again with its finalizer, so that a reinstalled controller can finish
the clean-up it missed.

It shows what it would do, tries it as a dry run, and asks. Each write is noted in audit.jsonl beside the copies. A copy
goes back to the cluster that it is from; --from-another-cluster lets it go elsewhere. A copy has to be as it was saved,
by the digest in audit.jsonl; --allow-unverified takes it as it is.`,
		Example: `  # See what would be done, proven against the API server
  kubectl finalizers restore ./saved --dry-run=server

  # Do it; at a terminal it asks
  kubectl finalizers restore ./saved`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("restore takes one saved copy, or a folder of them")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, c, args[0])
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
	}
	c.Flags().BoolVar(&f.yes, "yes", false, "Do not ask for confirmation.")
	c.Flags().StringVar(&f.confirm, "confirm", "", "Confirm with the token that --dry-run=server printed: it fits only if nothing has changed since.")
	c.Flags().BoolVar(&f.fromAnotherCluster, "from-another-cluster", false, "Also restore copies that were saved in another cluster, or do not say in which.")
	c.Flags().BoolVar(&f.allowUnverified, "allow-unverified", false, "Also restore copies that do not match a digest in audit.jsonl: what they hold may have been changed since they were saved, or made up.")
	cmdutil.AddDryRunFlag(c)
	return c
}

// restoreOptions is a restore command that is ready to run.
type restoreOptions struct {
	restoreFlags
	program Program
	source  cluster.Source
	remote  Remote
	saved   []removal.SavedCopy
	// dir is the folder of the saved copies.
	dir string
	// commandLine is the command line, up to what confirms it.
	commandLine string
}

func (f restoreFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, path string) (*restoreOptions, error) {
	o := &restoreOptions{restoreFlags: f, program: p, commandLine: commandLine(c, []string{path})}
	var err error
	if o.dryRun, err = cmdutil.GetDryRunStrategy(c); err != nil {
		return nil, err
	}
	if f.yes && f.confirm != "" {
		return nil, errors.New("--yes and --confirm exclude each other")
	}
	if o.saved, o.dir, err = removal.LoadSavedCopies(path); err != nil {
		return nil, err
	}
	if err = o.checkDigests(); err != nil {
		return nil, err
	}
	if o.source, err = p.Connect(flags); err != nil {
		return nil, err
	}
	o.remote, err = p.Remote(flags)
	return o, err
}

// checkDigests refuses copies that are not as they were saved, unless that is
// what the user wants.
func (o *restoreOptions) checkDigests() error {
	for _, s := range o.saved {
		if !s.Verified && !o.allowUnverified {
			return fmt.Errorf("%s does not match a digest in %s, so nothing was changed: it was changed since it was saved, or saved by something else; read it, and if it is as it should be, pass --allow-unverified",
				s.File, removal.AuditFile)
		}
	}
	return nil
}
