package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/health"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

type healthFlags struct {
	output            formatFlag
	outputFile        outputFileFlag
	checks            []string
	duration          time.Duration
	controllerMetrics bool
	exitCode          bool
	watch             bool
	fleet             fleetFlags
}

func (p Program) newHealth(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f healthFlags
	c := &cobra.Command{
		Use:   "health [TYPE ...]",
		Short: "Check whether controllers can see and remove finalizers",
		Long: `Check whether controllers can see objects and remove their finalizers: lists, watches and informers of each type, which
types are watched, and the controllers, leases, webhooks and APIServices that deletions depend on. The report begins with
the problems that block most deletions, each with its impact and the next steps. This command only reads.

With TYPE arguments the report is about those types only, with -n about that namespace.`,
		Example: `  # Run all checks, with watches that stay open for ten seconds
  kubectl finalizers health

  # Check whether a proxy closes watches that are idle for a minute
  kubectl finalizers health pods --check watch --for 90s

  # Check one type, and print what was measured
  kubectl finalizers health widgets.example.com -o wide

  # Repeat the checks, and print what changes
  kubectl finalizers health -w

  # Check the clusters of all contexts
  kubectl finalizers health --all-contexts`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.fleet.used(flags) {
				return f.runFleet(c.Context(), p, flags, args)
			}
			o, err := f.options(p, flags, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeTypes(flags),
	}
	f.output.addTemplates(c, append([]string{"wide", "json", "yaml", "kyaml"}, report.ReportFormats...)...)
	f.outputFile.addTo(c)
	f.fleet.addTo(c, flags)
	c.Flags().StringSliceVar(&f.checks, "check", health.Checks, "The checks to run.")
	c.Flags().DurationVar(&f.duration, "for", 10*time.Second, "How long watches and informers stay open, at least 3s.")
	c.Flags().BoolVar(&f.controllerMetrics, "controller-metrics", false, "Also read the metrics of the controllers, through the pod proxy of the API server.")
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "Exit with 2 if there are problems, with 4 if there are none but not everything could be read.")
	c.Flags().BoolVarP(&f.watch, "watch", "w", false, "After the report, repeat the checks, at most once a minute, print what changes, and print a summary when interrupted.")
	completeValues(c, "check", health.Checks...)
	return c
}

// healthOptions is a health command that is ready to run.
type healthOptions struct {
	healthFlags
	program   Program
	flags     *genericclioptions.ConfigFlags
	server    *live.Server
	namespace string
	args      []string
}

// check refuses flags that have no meaning, before anything is read.
func (f healthFlags) check(namespace string) error {
	if err := f.output.check(); err != nil {
		return err
	}
	if len(f.checks) == 0 {
		return fmt.Errorf("--check names no check: choose from %s", strings.Join(health.Checks, ", "))
	}
	for _, name := range f.checks {
		if !slices.Contains(health.Checks, name) {
			return fmt.Errorf("--check: unknown check %q; choose from %s", name, strings.Join(health.Checks, ", "))
		}
	}
	if f.duration < 3*time.Second {
		return fmt.Errorf("--for: %s is too short for a watch to receive anything; pass 3s or more", f.duration)
	}
	if err := f.checkWatch(); err != nil {
		return err
	}
	if namespace == "" {
		return nil
	}
	return checkNamespace(namespace)
}

func (f healthFlags) options(p Program, flags *genericclioptions.ConfigFlags, args []string) (*healthOptions, error) {
	o := &healthOptions{healthFlags: f, program: p, flags: flags, args: args, namespace: *flags.Namespace}
	if err := f.check(o.namespace); err != nil {
		return nil, err
	}
	config, err := restConfig(flags)
	if err != nil {
		return nil, err
	}
	o.server, err = live.Connect(config, p.Clock)
	return o, err
}

func (o *healthOptions) print(h stuck.Health) error {
	out := o.program.Streams.Out
	switch o.output.chosen {
	case "":
		return report.HealthText(out, h, o.program.width, false)
	case "wide":
		if err := report.HealthText(out, h, o.program.width, true); err != nil {
			return err
		}
		fmt.Fprintln(out)
		return printers.NewTablePrinter(printers.PrintOptions{}).PrintObj(report.HealthTable(h.Types), out)
	}
	if isReport(o.output.chosen) {
		return printReport(out, o.output.chosen, report.NewHealthSummary(h))
	}
	document := report.NewHealthReport(h)
	return o.output.printDocument(&document, out)
}

// Run runs the checks and prints the report. After an interrupt it prints what was found until
// then, but not to a file, which holds complete reports.
func (o *healthOptions) Run(ctx context.Context) error {
	found, err := o.read(withReadBudget(ctx, o.flags, o.duration))
	switch {
	case err != nil && found.Interrupted && o.outputFile.path == "":
		return errors.Join(o.print(found), err)
	case err != nil:
		return err
	case o.watch:
		return o.follow(ctx, found)
	}
	finish := o.outputFile.redirect(&o.program)
	if err := errors.Join(o.print(found), finish()); err != nil {
		return err
	}
	switch {
	case !o.exitCode:
		return nil
	case found.Worst() == stuck.Unhealthy:
		return exitStuck
	case found.Incomplete():
		return exitIncomplete
	}
	return nil
}

// read runs the checks.
func (o *healthOptions) read(ctx context.Context) (found stuck.Health, err error) {
	served, known, err := o.program.loadTypesAndCatalog(ctx, o.server)
	if err != nil {
		return found, err
	}
	types, err := o.types(served)
	if err != nil {
		return found, err
	}
	view := served.newView(ctx, o.server, true)
	if o.namespace != "" && view.Metadata(cluster.NamespaceType, "", o.namespace).Absent() {
		return found, namespaceNotFound(o.namespace)
	}
	progress := newHealthProgress(o)
	defer progress.end()
	return health.Run(ctx, o.server, view, known, health.Options{
		Checks: o.checks, Types: types, Served: served.types, Namespace: o.namespace,
		Duration: o.duration, KubectlCache: o.cached(), ControllerMetrics: o.controllerMetrics,
		Clock: o.program.Clock, Progress: progress.show, OnCheck: progress.check,
	})
}

// types are those that the arguments name, or all.
func (o *healthOptions) types(served servedTypes) ([]stuck.Type, error) {
	if len(o.args) == 0 {
		return cluster.SurveyedTypes(served.types, o.namespace), nil
	}
	var types []stuck.Type
	for _, arg := range o.args {
		targets, err := parseTargets(served, []string{arg})
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			if t.Name != "" {
				return nil, fmt.Errorf("%q names an object, but health takes types, such as %s", arg, t.Type)
			}
			types = append(types, t.Type)
		}
	}
	return types, nil
}

// cached are the types in kubectl's discovery cache, nil where they cannot be read. Where
// there is no cache it is filled now, as by any kubectl command.
func (o *healthOptions) cached() []schema.GroupResource {
	client, err := o.flags.ToDiscoveryClient()
	if err != nil {
		return nil
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil && len(lists) == 0 {
		return nil
	}
	var cached []schema.GroupResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") {
				cached = append(cached, schema.GroupResource{Group: gv.Group, Resource: r.Name})
			}
		}
	}
	return cached
}
