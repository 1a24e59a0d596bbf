package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

func (p Program) newRestore(flags *genericclioptions.ConfigFlags) *cobra.Command {
	yes, confirm := false, ""
	c := &cobra.Command{
		Use:   "restore FILE|DIR",
		Short: "Put back what force-remove took, from its saved copies",
		Long: `Put back what force-remove took. An object that is still there gets its finalizer back, unless it is being deleted,
which cannot be undone. One that is gone is created again with its finalizer, so that a reinstalled controller can finish
the clean-up it missed.`,
		Example: `  # See what would be done
  kubectl finalizers restore ./saved --dry-run=server`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("restore takes one saved copy, or a folder of them")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			dryRun, err := cmdutil.GetDryRunStrategy(c)
			if err != nil {
				return err
			}
			if yes && confirm != "" {
				return errors.New("--yes and --confirm exclude each other")
			}
			saved, err := removal.LoadSaved(args[0])
			if err != nil {
				return err
			}
			o := &restoreOptions{program: p, saved: saved, dryRun: dryRun, yes: yes, confirm: confirm}
			if o.source, err = p.Connect(flags); err != nil {
				return err
			}
			if o.remote, err = p.Remote(flags); err != nil {
				return err
			}
			return o.Run(c.Context())
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "Do not ask for confirmation.")
	c.Flags().StringVar(&confirm, "confirm", "", "Confirm with the token that --dry-run=server printed: it fits only if nothing has changed since.")
	cmdutil.AddDryRunFlag(c)
	return c
}

// restoreOptions is a restore command that is ready to run.
type restoreOptions struct {
	program Program
	source  cluster.Source
	remote  Remote
	saved   []removal.Saved
	dryRun  cmdutil.DryRunStrategy
	yes     bool
	confirm string
}

// Run says what would be done, proves it, asks, and does it.
func (o *restoreOptions) Run(ctx context.Context) error {
	deeds, err := o.plan(ctx)
	if err != nil {
		return err
	}
	out := o.program.Streams.Out
	fmt.Fprintf(out, "In cluster %s (context %s)\n", o.remote.Server, o.remote.Context)
	var todo []removal.Deed
	var refused error
	for _, d := range deeds {
		fmt.Fprintln(out, "  "+d.String())
		switch {
		case d.Refused:
			refused = exitRefused
		case d.Why == "":
			todo = append(todo, d)
		}
	}
	if o.dryRun == cmdutil.DryRunClient || len(todo) == 0 {
		return refused
	}
	for _, d := range todo {
		if err := d.Do(ctx, o.remote.Writer, true); err != nil {
			return fmt.Errorf("nothing was changed: the API server would refuse to restore %s: %w", d.Saved.File, err)
		}
	}
	if o.dryRun == cmdutil.DryRunServer {
		fmt.Fprintf(out, "The API server would accept all of it. To do exactly this: --confirm %s\n", removal.TokenOf(o.remote.Server, deeds))
		return refused
	}
	if !o.confirmed(ctx, deeds, todo) {
		fmt.Fprintln(o.program.Streams.ErrOut, "nothing was changed")
		return exitRefused
	}
	if err := o.do(ctx, todo); err != nil {
		return err
	}
	return refused
}

// do restores what can be, and says what could not.
func (o *restoreOptions) do(ctx context.Context, todo []removal.Deed) error {
	failed := 0
	for _, d := range todo {
		if err := d.Do(ctx, o.remote.Writer, false); err != nil {
			fmt.Fprintf(o.program.Streams.ErrOut, "restoring %s: %s\n", d.Saved.File, cluster.Reason(err))
			failed++
		}
	}
	fmt.Fprintf(o.program.Streams.Out, "%d restored\n", len(todo)-failed)
	if failed > 0 {
		return exitFailed
	}
	return nil
}

// plan says for each saved copy what it takes.
func (o *restoreOptions) plan(ctx context.Context) ([]removal.Deed, error) {
	served, err := discover(ctx, o.source)
	if err != nil {
		return nil, err
	}
	see := cluster.NewView(ctx, o.source, served.types, served.gaps)
	var deeds []removal.Deed
	for _, s := range o.saved {
		t, ok := see.Type(s.Object.GroupVersionKind().GroupKind())
		if !ok {
			return nil, fmt.Errorf("the server does not serve %s, which %s is; install it first", s.Object.GroupVersionKind().GroupKind(), s.File)
		}
		deed, err := removal.Undo(ctx, o.source, t, s)
		if err != nil {
			return nil, err
		}
		deeds = append(deeds, deed)
	}
	return deeds, nil
}

// confirmed is the user's consent: by a flag in a script; at a terminal by the
// name of the object, or of several by their number. Anywhere else it is no.
func (o *restoreOptions) confirmed(ctx context.Context, deeds, todo []removal.Deed) bool {
	errOut := o.program.Streams.ErrOut
	if o.confirm != "" {
		if o.confirm != removal.TokenOf(o.remote.Server, deeds) {
			fmt.Fprintln(errOut, "error: the token does not fit: something has changed since it was printed; run --dry-run=server again")
			return false
		}
		return true
	}
	if o.yes {
		return true
	}
	if !term.IsTerminal(o.program.Streams.In) {
		fmt.Fprintln(errOut, "error: not at a terminal: pass --yes, or --confirm with the token of --dry-run=server")
		return false
	}
	want, what := strconv.Itoa(len(todo)), "the number of objects"
	if len(todo) == 1 {
		want, what = todo[0].Saved.Object.GetName(), "the name of the object"
	}
	fmt.Fprintf(errOut, "Type %s to go on (%s): ", what, want)
	return line(ctx, o.program.Streams.In) == want
}
