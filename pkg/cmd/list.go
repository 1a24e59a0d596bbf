package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

type listFlags struct {
	output        outputFlags
	allNamespaces bool
	selector      string
	olderThan     time.Duration
	finalizer     string
	all           bool
	exitCode      bool
	probe         bool
	watch         bool
}

func (p Program) newList(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f listFlags
	c := &cobra.Command{
		Use:   "list [TYPE[/NAME] ...]",
		Short: "List what is stuck, and why",
		Long: `List every object and namespace that is stuck in Terminating, with its finalizers, for how long, and why.

By default it looks at the current namespace and all that is in it. Objects that are alike are folded into one line;
-o json, yaml and name hold each of them. With --watch it goes on until it is interrupted: a line when something gets
stuck, when something else can be said of it, and when it is gone.`,
		Example: `  # Everything in the cluster that is stuck
  kubectl finalizers list -A

  # Pods in a namespace that are past their grace period
  kubectl finalizers list pods -n shop

  # What gets stuck from now on
  kubectl finalizers list -A -w

  # What has been stuck for an hour on a finalizer of one's own
  kubectl finalizers list -A --older-than=1h --finalizer='example.com/*'

  # Fail a pipeline when something is stuck
  kubectl finalizers list -A --exit-code -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, c, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeTypes(flags),
	}
	f.output.addTo(c)
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "Look at all namespaces and at cluster-scoped objects.")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "Selector (label query) to filter on.")
	c.Flags().DurationVar(&f.olderThan, "older-than", 0, "Only what has been stuck for at least this long (such as 10m or 24h).")
	c.Flags().StringVar(&f.finalizer, "finalizer", "", "Only what holds a finalizer that matches this glob (such as 'example.com/*').")
	c.Flags().BoolVar(&f.all, "all", false, "Also objects with finalizers that are not being deleted, and those within their grace period.")
	addProbe(c, &f.probe)
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "After listing, keep on printing what gets stuck, what becomes of it, and what is gone.")
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "Exit with 2 when something is stuck, with 4 when nothing was found but not everything could be read.")
	registerCompletion(c, "finalizer", p.completeFinalizer)
	return c
}

// listOptions is a list command that is ready to run.
type listOptions struct {
	listFlags
	program   Program
	source    cluster.Source
	namespace string // empty means all
	args      []string
	// seen are the finalizers that the objects carry which were read.
	seen finalizerNames
}

func (f listFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, args []string) (*listOptions, error) {
	if err := errors.Join(f.output.check(), f.checkWatch()); err != nil {
		return nil, err
	}
	if f.finalizer == "" && c.Flags().Changed("finalizer") {
		return nil, errors.New("reading --finalizer: it is empty; give a name or a glob, such as 'example.com/*'")
	}
	if _, err := labels.Parse(f.selector); err != nil {
		return nil, fmt.Errorf("reading --selector: %w", err)
	}
	if _, err := glob(f.finalizer, ""); err != nil {
		return nil, fmt.Errorf("reading --finalizer: %q is not a glob: %w", f.finalizer, err)
	}
	if f.olderThan < 0 {
		return nil, fmt.Errorf("reading --older-than: %s is less than nothing", f.olderThan)
	}
	o := &listOptions{listFlags: f, program: p, args: args}
	var err error
	if o.source, o.namespace, err = p.openSource(flags); f.allNamespaces {
		o.namespace = ""
	}
	return o, err
}

// Run surveys, diagnoses and prints.
func (o *listOptions) Run(ctx context.Context) error {
	served, known, err := o.program.loadTypesAndCatalog(ctx, o.source)
	if err != nil {
		return err
	}
	targets, err := parseTargets(served, o.args)
	if err != nil {
		return err
	}
	progress := newProgress(o.program.terminal)
	view, found, err := o.find(ctx, served.newView(ctx, o.source, o.probe), served.types, targets, progress)
	if err != nil {
		return err
	}
	diagnoses, err := o.diagnose(ctx, view, known, o.listed(found))
	progress.done()
	if err != nil {
		return err
	}
	if len(diagnoses) == 0 && !o.watch {
		if err := o.checkFinalizer(view, known); err != nil {
			return err
		}
	}
	if err := o.print(view, diagnoses); err != nil || !o.watch {
		return err
	}
	return o.follow(ctx, &follower{listOptions: o, served: served, catalog: known}, targets, found, diagnoses)
}

// diagnose finds out why. Who asks for names alone is not told, and need not
// wait for it.
func (o *listOptions) diagnose(ctx context.Context, view *cluster.View, known *catalog.Catalog, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	objects = o.filterNamespaces(view, objects)
	if o.output.Format != "name" {
		return diagnose.Objects(ctx, view, known, objects)
	}
	diagnoses := make([]*stuck.Diagnosis, 0, len(objects))
	for _, object := range objects {
		diagnoses = append(diagnoses, &stuck.Diagnosis{Object: object})
	}
	return diagnoses, nil
}

// listed are the objects that the flags select. A scan keeps more: what a
// namespace holds matters to its diagnosis whether it is listed or not.
func (o *listOptions) listed(found []stuck.Object) []stuck.Object {
	now := o.source.Now()
	var out []stuck.Object
	for _, object := range found {
		listed := object.IsStuck(now) || object.NamespaceMissing || o.all && (object.Deleting() || len(object.Finalizers) > 0)
		if listed && object.StuckDuration(now) >= o.olderThan && o.mayMatchFinalizer(object) {
			out = append(out, object)
		}
	}
	return out
}

func (o *listOptions) print(view *cluster.View, diagnoses []*stuck.Diagnosis) error {
	streams, gaps := o.program.Streams, view.AllGaps()
	for _, line := range report.GapLines(gaps) {
		fmt.Fprintf(streams.ErrOut, "could not read %s\n", oneLine(line))
	}
	var err error
	if o.output.table() {
		err = o.output.printTable(report.Table(diagnoses, o.source.Now(), o.namespace == ""), streams.Out)
	} else {
		err = o.output.printList(report.NewStuckList(diagnoses, gaps), streams.Out)
	}
	if err != nil {
		return err
	}
	if len(diagnoses) == 0 && o.output.table() {
		for _, line := range o.emptyMessage(view, len(gaps) > 0) {
			fmt.Fprintln(streams.ErrOut, line)
		}
	}
	switch {
	case !o.exitCode:
		return nil
	case anyStuck(diagnoses, o.source.Now()):
		return exitStuck
	case len(gaps) > 0:
		return exitIncomplete
	}
	return nil
}

func anyStuck(diagnoses []*stuck.Diagnosis, now time.Time) bool {
	for _, d := range diagnoses {
		if d.Object.IsStuck(now) || d.Object.NamespaceMissing {
			return true
		}
	}
	return false
}
