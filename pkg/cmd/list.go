package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/fields"
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
	outputFile    outputFileFlag
	allNamespaces bool
	selector      string
	fieldSelector string
	olderThan     age
	finalizer     string
	by            string
	sortBy        string
	all           bool
	exitCode      bool
	probe         bool
	watch         bool
	from          fromFlag
	fleet         fleetFlags
}

const listExamples = `  # List all stuck objects in the cluster
  kubectl finalizers list -A

  # List the root causes, those that block the most objects first
  kubectl finalizers list -A --by=cause

  # List the pods in a namespace that are past their grace period
  kubectl finalizers list pods -n shop

  # List all stuck objects, then watch for changes
  kubectl finalizers list -A -w

  # List what was stuck when a dump was made
  kubectl finalizers list --from must-gather.tar.gz

  # List objects that have been stuck for a day, the oldest first
  kubectl finalizers list -A --older-than=1d --sort-by=.metadata.deletionTimestamp

  # List the stuck objects of several clusters
  kubectl finalizers list -A --contexts=staging,prod

  # Fail a pipeline when an object is stuck
  kubectl finalizers list -A --exit-code -o json`

func (p Program) newList(flags *genericclioptions.ConfigFlags) *cobra.Command {
	f := listFlags{output: outputFlags{reports: true}}
	c := &cobra.Command{
		Use:   "list [TYPE[/NAME] ...]",
		Short: "List what is stuck, and why",
		Long: `List the objects and namespaces that are stuck in Terminating: since when, why, and what blocks them.

By default it lists the current namespace and the objects in it, and with --from those of all namespaces. Similar
objects share a row; -o wide names three of them, and -o name, json and yaml list each. -o wide adds finalizers,
controllers and messages. --by=cause prints a row for each root cause instead.

With --watch it continues until it is interrupted, and prints a row when an object gets stuck (STUCK), when its
diagnosis changes (CHANGED) and when it is deleted (GONE). The time of a row is in UTC. With -o json, each of these
events is a document on a line of its own.`,
		Example: listExamples,
		RunE: func(c *cobra.Command, args []string) error {
			if f.fleet.used(flags) {
				return f.runFleet(c, p, flags, args)
			}
			o, err := f.options(p, flags, c, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeTypes(flags),
	}
	f.addTo(c)
	f.fleet.addTo(c, flags)
	registerCompletion(c, "finalizer", p.completeListed(flags, &f))
	return c
}

func (f *listFlags) addTo(c *cobra.Command) {
	f.output.addTo(c)
	f.outputFile.addTo(c)
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "If present, list the objects in all namespaces and those without a namespace.")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "Selector (label query) to filter on, supports '=', '==', '!=', 'in', 'notin' (e.g. -l key1=value1,key2=value2).")
	c.Flags().StringVar(&f.fieldSelector, "field-selector", "", "Selector (field query) to filter on, supports '=', '==', and '!=' on the fields metadata.name and metadata.namespace.")
	c.Flags().Var(&f.olderThan, "older-than", "Only list objects that have been stuck for at least this long (e.g. 10m, 24h, 7d).")
	c.Flags().StringVar(&f.finalizer, "finalizer", "", "Only list objects with a finalizer that matches this glob (e.g. 'example.com/*').")
	c.Flags().BoolVar(&f.all, "all", false, "Also list objects with finalizers that are not being deleted, and objects within their grace period.")
	c.Flags().StringVar(&f.by, "by", "", "Print a row for each root cause instead of each object. One of: (cause).")
	completeValues(c, "by", byCause)
	c.Flags().StringVar(&f.sortBy, "sort-by", "", "Sort the list by this field, a JSONPath expression on the items of -o json (e.g. '{.metadata.name}').")
	addProbe(c, &f.probe)
	f.from.addTo(c)
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "After listing, watch for changes.")
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "Exit with 2 when an object is stuck, with 4 when none was found but the view was incomplete.")
}

// listOptions is a list command that is ready to run.
type listOptions struct {
	listFlags
	program   Program
	source    cluster.Source
	namespace string // empty means all
	args      []string
	fields    fields.Selector
	// table writes all rows, so that those of a watch keep the columns.
	table *report.TableWriter
	names report.TypeNames
	// seen are the finalizers of the objects that were read.
	seen finalizerNames
}

// check refuses flags that have no meaning, before anything is read.
func (f *listFlags) check(c *cobra.Command) (fields.Selector, error) {
	for _, check := range []func() error{f.output.check, f.checkWatch, f.checkBy, f.checkSort} {
		if err := check(); err != nil {
			return nil, err
		}
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
		return nil, errors.New("--older-than must not be negative")
	}
	return parseFieldSelector(f.fieldSelector)
}

func (f listFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, args []string) (*listOptions, error) {
	selected, err := f.check(c)
	if err != nil {
		return nil, err
	}
	o := &listOptions{listFlags: f, program: p, args: args, fields: selected, table: f.tableWriter()}
	if o.source, o.namespace, err = f.from.openSource(p, flags); f.allNamespaces || f.from.path != "" && !c.Flags().Changed("namespace") {
		o.namespace = ""
	}
	if f.watch {
		o.reserveWatchColumns()
	}
	return o, err
}

// Run surveys, diagnoses and prints.
func (o *listOptions) Run(ctx context.Context) error {
	progress := newProgress(o.program.terminal)
	l, err := o.read(ctx, progress)
	if err != nil {
		return err
	}
	if len(l.diagnoses) == 0 && !o.watch {
		if err := o.checkFinalizer(l.view, l.catalog); err != nil {
			return err
		}
	}
	if l.diagnoses, err = o.sorted(l.diagnoses); err != nil {
		return err
	}
	finish := o.outputFile.redirect(&o.program)
	if err := o.print(l.view, l.diagnoses, progress.terminal()); !o.watch {
		return withOutputFile(err, finish)
	} else if err != nil {
		return err
	}
	return o.follow(ctx, &follower{listOptions: o, served: l.served, catalog: l.catalog}, l.targets, l.found, l.diagnoses)
}

// listing is what a list has read.
type listing struct {
	served    servedTypes
	catalog   *catalog.Catalog
	targets   []target
	view      *cluster.View
	found     []stuck.Object
	diagnoses []*stuck.Diagnosis
}

// read surveys and diagnoses.
func (o *listOptions) read(ctx context.Context, progress *progress) (l listing, err error) {
	if l.served, l.catalog, err = o.program.loadTypesAndCatalog(ctx, o.source); err != nil {
		return l, err
	}
	o.names = l.served.names()
	if l.targets, err = parseTargets(l.served, o.args); err != nil {
		return l, err
	}
	if l.view, l.found, err = o.find(ctx, l.served.newView(ctx, o.source, o.probe), l.served.types, l.targets, progress); err != nil {
		return l, err
	}
	l.diagnoses, err = o.diagnose(ctx, l.view, l.catalog, o.listed(l.found))
	progress.done()
	if err == nil && !o.watch { // a watch prints what is deleted
		l.diagnoses = o.dropDeleted(ctx, l.diagnoses)
	}
	return l, err
}

// diagnose finds the causes. With -o name it does not: nothing of them is printed.
func (o *listOptions) diagnose(ctx context.Context, view *cluster.View, known *catalog.Catalog, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	objects = o.filterNamespaces(view, objects)
	if o.output.Format != "name" {
		diagnoses, err := diagnose.Objects(ctx, view, known, objects)
		withoutAges(o.source, view, diagnoses)
		return diagnoses, err
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
		if listed && object.StuckDuration(now) >= time.Duration(o.olderThan) && o.matchesFields(object) && o.mayMatchFinalizer(object) {
			out = append(out, object)
		}
	}
	return out
}
