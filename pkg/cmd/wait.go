package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/wait"
)

type waitFlags struct {
	explainFlags
	condition string
	timeout   time.Duration
	stall     time.Duration
}

const (
	defaultWaitTimeout = 10 * time.Minute
	// maxWaitTimeout stands for a negative timeout, as it does for kubectl wait.
	maxWaitTimeout = 7 * 24 * time.Hour
	defaultStall   = time.Minute
)

func (p Program) newWait(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f waitFlags
	c := &cobra.Command{
		Use:   "wait (-f FILENAME | TYPE [NAME | -l LABEL] | TYPE/NAME ...)",
		Short: "Wait until objects are deleted, and say why if they are not",
		Long: `Wait until objects are deleted. It shows what is left: objects by type, the content of namespaces, finalizers, and since
when nothing has moved. When nothing has moved for --stall, or --timeout is over, it explains why the objects that are
left are stuck, as explain does, and exits with 2. It deletes nothing itself.

An object that does not exist is deleted, and so is one whose name was used again for another. Nothing has to move
within the grace period of a Pod.`,
		Example: `  # Delete a namespace; if that does not finish, say why
  kubectl delete namespace shop --wait=false
  kubectl finalizers wait ns/shop

  # Wait for 30m in all, and explain when nothing has moved for 5m
  kubectl finalizers wait ns -l env=preview --timeout=30m --stall=5m

  # Wait for the objects of a manifest
  kubectl finalizers wait -f shop.yaml`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeDeleting(flags),
	}
	f.output.addTo(c, append([]string{"json"}, report.ReportFormats...)...)
	f.outputFile.addTo(c)
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "Wait for the objects of the types in all namespaces.")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "Selector (label query) to filter on.")
	cmdutil.AddFilenameOptionFlags(c, &f.files, "containing the objects to wait for")
	c.Flags().Lookup("filename").Usage = "Files or directories that contain the objects to wait for"
	c.Flags().StringVar(&f.condition, "for", waitForDelete, "The condition to wait for. The only one is delete.")
	c.Flags().DurationVar(&f.timeout, "timeout", defaultWaitTimeout, "The length of time to wait before giving up. Zero means check once and don't wait, negative means wait for a week.")
	c.Flags().DurationVar(&f.stall, "stall", defaultStall, "Give up when nothing has moved for this long. Zero means to wait for --timeout in any case.")
	addProbe(c, &f.probe)
	completeValues(c, "for", waitForDelete)
	return c
}

// waitForDelete is the value of --for.
const waitForDelete = "delete"

// waitOptions is a wait command that is ready to run.
type waitOptions struct {
	*explainOptions
	timeout time.Duration
	stall   time.Duration
}

func (f waitFlags) options(p Program, flags *genericclioptions.ConfigFlags, args []string) (*waitOptions, error) {
	if err := errors.Join(f.checkObjects("wait", args), f.check()); err != nil {
		return nil, err
	}
	if _, err := labels.Parse(f.selector); err != nil {
		return nil, fmt.Errorf("reading --selector: %w", err)
	}
	o := &waitOptions{explainOptions: &explainOptions{explainFlags: f.explainFlags, program: p, args: args}, timeout: f.timeout, stall: f.stall}
	if o.timeout < 0 {
		o.timeout = maxWaitTimeout
	}
	var err error
	if o.source, o.namespace, err = p.openSource(flags); f.allNamespaces {
		o.namespace = ""
	}
	return o, err
}

func (f waitFlags) check() error {
	switch {
	case f.output.chosen != "" && !slices.Contains(f.output.known, f.output.chosen):
		return unknownFormat(f.output.chosen, strings.Join(f.output.known, ", "))
	case f.outputFile.path != "" && !isReport(f.output.chosen):
		return errors.New("--output-file takes a report: use it with -o " + strings.Join(report.ReportFormats, ", "))
	case strings.ToLower(f.condition) != waitForDelete:
		return fmt.Errorf("--for: unknown condition %q; this command waits for delete, kubectl wait for any other", f.condition)
	case f.stall < 0:
		return errors.New("--stall must not be negative")
	}
	return nil
}

// Run waits, and explains what is left.
func (o *waitOptions) Run(ctx context.Context) error {
	served, _, err := o.program.loadTypesAndCatalog(ctx, o.source)
	if err != nil {
		return err
	}
	targets, err := o.targets(ctx, served)
	if err != nil {
		return err
	}
	screen, finish := newWaitScreen(o), o.outputFile.redirect(&o.program)
	if len(targets) == 0 {
		return withOutputFile(screen.report(nil, nil), finish)
	}
	return withOutputFile(o.wait(ctx, served, targets, screen), finish)
}

// wait waits for the targets, and explains what is left of them.
func (o *waitOptions) wait(ctx context.Context, served servedTypes, targets []stuck.Object, screen *waitScreen) error {
	outcome, left, err := wait.Run(cluster.WithoutReadBudget(ctx), wait.Options{
		Targets: targets, Types: served.types, Source: o.source, Watch: o.watch(),
		Timeout: o.timeout, Stall: o.stall, Clock: o.program.Clock,
		OnDeleted: screen.deleted, OnProgress: screen.progress,
	})
	screen.live.done()
	switch {
	case err != nil:
		return err
	case outcome == wait.Deleted:
		return screen.report(nil, nil)
	}
	if err := screen.ended(outcome, left); err != nil {
		return err
	}
	return screen.explain(cluster.WithReadBudget(ctx, find.ReadBudget), left.Remaining)
}

// targets are the objects to wait for. Those that do not exist are named: the name may be wrong.
func (o *waitOptions) targets(ctx context.Context, served servedTypes) ([]stuck.Object, error) {
	found, err := o.readTargets(ctx, served.newView(ctx, o.source, o.probe), served)
	if err != nil {
		return nil, err
	}
	for _, failure := range found.failed {
		var missing notFoundError
		if !errors.As(failure, &missing) {
			return nil, failure
		}
		fmt.Fprintln(o.program.Streams.ErrOut, message(failure))
	}
	if len(found.objects)+len(found.failed) == 0 {
		fmt.Fprintln(o.program.Streams.ErrOut, "No objects found.")
	}
	return found.objects, nil
}
