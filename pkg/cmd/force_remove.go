package cmd

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

type removeFlags struct {
	consent   removal.Consent
	dryRun    cmdutil.DryRunStrategy
	yes       bool
	confirm   string
	backupDir string
	failFast  bool
	wait      bool
	timeout   time.Duration
	output    formatFlag
	event     bool
}

func (p Program) newForceRemove(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f removeFlags
	c := &cobra.Command{
		Use:   "force-remove TYPE/NAME ...",
		Short: "Remove finalizers by force, as a last resort",
		Long: `Remove finalizers of objects that are stuck in Terminating, when no controller is left to remove them.

It first shows a plan. It refuses what can be fixed, is in progress, is not understood or loses something, and names the
fix, and the flag that allows it. Then it checks your permissions, sends every request as a dry run, makes sure that copies
can be saved, and asks for confirmation. Right before each write it diagnoses the object again and saves a copy of it. After
the write it verifies that the finalizer is removed. Each write has two lines in audit.jsonl beside the copies.

For a namespace it removes the finalizers of the objects in it, and the namespace controller then deletes the namespace.
Only --strand-content finalizes a namespace without its controller.`,
		Example: `  # Show the plan, and let the API server check it
  kubectl finalizers force-remove ns/shop --dry-run=server

  # Remove the finalizers in a namespace; at a terminal it asks for the name
  kubectl finalizers force-remove ns/shop --accept-leaks

  # In a script, carry out exactly the plan that was shown
  kubectl finalizers force-remove ns/shop --accept-leaks --confirm 0123456789abcdef`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("force-remove takes objects: TYPE/NAME, such as ns/shop")
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
		ValidArgsFunction: p.completeDeleting(flags),
	}
	f.addTo(c)
	registerCompletion(c, "finalizer", p.completeRemoved(flags))
	return c
}

// defaultTimeout is longer than the namespace controller ever waits between two
// attempts, which is a minute (kubernetes/pkg/controller/namespace).
const defaultTimeout = 90 * time.Second

func (f *removeFlags) addTo(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.consent.Only, "finalizer", nil, "Remove only this finalizer. May be repeated.")
	c.Flags().BoolVar(&f.consent.OverrideVerdict, "override-verdict", false, "Remove finalizers although the verdict is Blocked, Progressing or Unknown.")
	c.Flags().BoolVar(&f.consent.AcceptLeaks, "accept-leaks", false, "Accept that external or unknown resources are left behind.")
	c.Flags().BoolVar(&f.consent.AcceptDataLoss, "accept-data-loss", false, "Accept that data is lost.")
	c.Flags().BoolVar(&f.consent.StrandContent, "strand-content", false, "Finalize a namespace if its controller cannot delete it, and strand what it still contains.")
	c.Flags().BoolVar(&f.yes, "yes", false, "Do not ask for confirmation.")
	c.Flags().StringVar(&f.confirm, "confirm", "", "Confirm with the token that --dry-run=server printed; it is valid only while the plan is the same.")
	c.Flags().StringVar(&f.backupDir, "backup-dir", "", "Folder for saved copies (default $XDG_STATE_HOME/kubectl-finalizers).")
	c.Flags().BoolVar(&f.failFast, "fail-fast", false, "Stop at the first step that is refused or fails.")
	c.Flags().BoolVar(&f.wait, "wait", true, "Wait until the objects are deleted.")
	c.Flags().DurationVar(&f.timeout, "timeout", defaultTimeout, "How long to wait until the objects are deleted. 0 means without a limit.")
	f.output.addTo(c, "json", "yaml", "name")
	c.Flags().BoolVar(&f.event, "record-event", false, "Also post Events about the removal, in the namespace of each object, or in default for a namespace that is being deleted.")
	cmdutil.AddDryRunFlag(c)
}

// removeOptions is a force-remove command that is ready to run.
type removeOptions struct {
	removeFlags
	program   Program
	source    cluster.Source
	remote    Remote
	namespace string
	args      []string
	// given is the command line without what confirms it, and restoreCommand the
	// one that restores a folder of the same cluster, up to its name.
	given          givenCommand
	restoreCommand string
}

func (f removeFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, args []string) (*removeOptions, error) {
	o := &removeOptions{removeFlags: f, program: p, args: args, given: newGivenCommand(c, args), restoreCommand: restoreCommand(c)}
	var err error
	if o.dryRun, err = cmdutil.GetDryRunStrategy(c); err != nil {
		return nil, err
	}
	if err := f.output.check(); err != nil {
		return nil, err
	}
	if slices.Contains(f.consent.Only, "") {
		return nil, fmt.Errorf("reading --finalizer: it is empty; name a finalizer, as kubectl finalizers explain shows it")
	}
	if f.yes && f.confirm != "" {
		return nil, fmt.Errorf("--yes and --confirm exclude each other")
	}
	if o.source, o.namespace, err = p.openSource(flags); err != nil {
		return nil, err
	}
	o.remote, err = p.Remote(flags)
	return o, err
}
