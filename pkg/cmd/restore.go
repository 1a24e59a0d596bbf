package cmd

import (
	"errors"
	"fmt"
	"strings"

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
	output             formatFlag
}

func (p Program) newRestore(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f restoreFlags
	c := &cobra.Command{
		Use:   "restore [FILE|DIR]",
		Short: "Recreate what force-remove removed, from its saved copies",
		Long: `Recreate objects that were deleted after force-remove, from its saved copies. A deleted object is recreated with its
finalizers, so that a reinstalled controller can do the cleanup that was skipped. An object that still exists gets its
finalizers again, unless it is being deleted, which cannot be undone.

FILE is one saved copy, and DIR the folder of a run, of a context or of all runs, by default the one in which force-remove
saves them. If it holds several runs, they are listed, and at a terminal you choose one.

It shows the plan, sends it as a dry run, and asks. Each write has two lines in audit.jsonl beside the copies. A copy from
another cluster is refused without --from-another-cluster, and one that does not match its digest in audit.jsonl without
--allow-unverified.`,
		Example: `  # List the runs, and choose one at a terminal
  kubectl finalizers restore

  # Show the plan, and let the API server check it
  kubectl finalizers restore ./20261120T071128Z --dry-run=server

  # Recreate the objects of a run; at a terminal it asks
  kubectl finalizers restore ./20261120T071128Z`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("restore takes one saved copy, or one folder: %d were given", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, c, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
	}
	c.Flags().BoolVar(&f.yes, "yes", false, "Do not ask for confirmation.")
	c.Flags().StringVar(&f.confirm, "confirm", "", "Confirm with the token that --dry-run=server printed; it is valid only while the plan is the same.")
	c.Flags().BoolVar(&f.fromAnotherCluster, "from-another-cluster", false, "Also restore copies from another cluster, or that do not say from which.")
	c.Flags().BoolVar(&f.allowUnverified, "allow-unverified", false, "Also restore copies that do not match a digest in audit.jsonl: they may have been changed or forged.")
	f.output.addTo(c, "json", "yaml")
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
	// given is the command line without what confirms it.
	given givenCommand
}

func (f restoreFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, args []string) (*restoreOptions, error) {
	o := &restoreOptions{restoreFlags: f, program: p}
	var err error
	if o.dryRun, err = cmdutil.GetDryRunStrategy(c); err != nil {
		return nil, err
	}
	if err := f.output.check(); err != nil {
		return nil, err
	}
	if f.yes && f.confirm != "" {
		return nil, errors.New("--yes and --confirm exclude each other")
	}
	path, err := backupRoot(strings.Join(args, ""))
	if err != nil {
		return nil, fmt.Errorf("nothing was changed: %w, or name the folder", err)
	}
	if path, err = p.chooseRun(c.Context(), path, restoreCommand(c)); err != nil {
		return nil, err
	}
	o.given = newGivenCommand(c, []string{path})
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
			return fmt.Errorf("%s does not match a digest in %s, so nothing was changed: it was changed after it was saved, or something else saved it; read it, and if it is correct, pass --allow-unverified",
				s.File, removal.AuditFile)
		}
	}
	return nil
}
