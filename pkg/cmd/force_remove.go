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
		Short: "Remove finalizers by force, as the last resort",
		Long: `Remove the finalizers that hold objects, or what holds a namespace, when nobody is left to do it.

It plans first and shows the plan. It refuses what could be fixed, is being worked on, is not understood, or would lose
something, and names the flag or the fix that gets past each refusal. Then it checks the rights, sends every request as a
dry run, makes sure that copies can be saved, and asks for confirmation. Right before each write it looks again, and saves
a copy of the object; after it, it looks whether the finalizer is off. Each write is noted in audit.jsonl beside the copies.

A namespace is freed through what it holds. Its own controller then finishes it. Only with --strand-content is it ended
without that, through its finalize subresource.`,
		Example: `  # See what would be done, proven against the API server
  kubectl finalizers force-remove ns/shop --dry-run=server

  # Free what holds a namespace; at a terminal it asks for the name
  kubectl finalizers force-remove ns/shop --accept-leaks

  # In a script, exactly what was shown before
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
	return c
}

// defaultTimeout is longer than the namespace controller ever waits between two
// attempts, which is a minute (kubernetes/pkg/controller/namespace).
const defaultTimeout = 90 * time.Second

func (f *removeFlags) addTo(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.consent.Only, "finalizer", nil, "Only this finalizer. May be given several times.")
	c.Flags().BoolVar(&f.consent.OverrideVerdict, "override-verdict", false, "Go on although something could be fixed, is being worked on, or is not understood.")
	c.Flags().BoolVar(&f.consent.AcceptLeaks, "accept-leaks", false, "Accept that resources outside the cluster, or nobody knows what, stay behind.")
	c.Flags().BoolVar(&f.consent.AcceptDataLoss, "accept-data-loss", false, "Accept that data is lost.")
	c.Flags().BoolVar(&f.consent.StrandContent, "strand-content", false, "End a namespace through its finalize subresource if its controller cannot, and strand what it still holds.")
	c.Flags().BoolVar(&f.yes, "yes", false, "Do not ask for confirmation.")
	c.Flags().StringVar(&f.confirm, "confirm", "", "Confirm with the token that --dry-run=server printed: it fits only if nothing has changed since.")
	c.Flags().StringVar(&f.backupDir, "backup-dir", "", "Folder for saved copies (default $XDG_STATE_HOME/kubectl-finalizers).")
	c.Flags().BoolVar(&f.failFast, "fail-fast", false, "Stop at the first step that is refused or fails.")
	c.Flags().BoolVar(&f.wait, "wait", true, "Wait until the objects are gone.")
	c.Flags().DurationVar(&f.timeout, "timeout", defaultTimeout, "How long to wait for the objects to be gone. 0 means as long as it takes.")
	f.output.addTo(c, "json", "yaml", "name")
	c.Flags().BoolVar(&f.event, "record-event", false, "Also post Events that tell of it: in the namespace of each object, or about a namespace that takes none any more.")
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
	// commandLine is the command line, up to what confirms it.
	commandLine string
}

func (f removeFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, args []string) (*removeOptions, error) {
	o := &removeOptions{removeFlags: f, program: p, args: args, commandLine: commandLine(c, args)}
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
