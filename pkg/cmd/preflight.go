package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

type preflightFlags struct {
	explainFlags
	fleet fleetFlags
}

func (p Program) newPreflight(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f preflightFlags
	c := &cobra.Command{
		Use:   "preflight (-f FILENAME | [TYPE] -l LABEL | TYPE NAME | TYPE/NAME ...)",
		Short: "Say what would get stuck if objects were deleted, and why",
		Long: `Say what would get stuck if objects were deleted now, and why. It looks for the same causes as explain does, in a cluster
without the objects that the deletion removes at once: controllers, permissions, credentials, the servers of webhooks.
It sends the deletion as a dry run where you may delete, prints a safe order of deletion as commands, and deletes nothing.

A namespace stands for its content, a custom resource definition for its objects, and -l without a type for objects of
all types. The exit code is 0 if the deletion would go through, 2 if not, or if objects that are not deleted would get stuck
later since what they need to be deleted is deleted, and 4 if not everything could be checked.`,
		Example: `  # What would get stuck if this namespace were deleted?
  kubectl finalizers preflight ns/shop

  # Would the uninstallation of a Helm release get stuck?
  kubectl finalizers preflight -l app.kubernetes.io/instance=shop -A

  # The same from the manifests of the release
  helm template shop ./chart | kubectl finalizers preflight -f -

  # The same in several clusters
  kubectl finalizers preflight ns/shop --contexts=staging,prod`,
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
		ValidArgsFunction: p.completeDeleting(flags),
	}
	f.output.addTemplates(c, append([]string{"json", "yaml", "kyaml"}, report.ReportFormats...)...)
	f.outputFile.addTo(c)
	f.from.addTo(c)
	f.fleet.addTo(c, flags)
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "Select the objects in all namespaces.")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "Selector (label query) to filter on.")
	cmdutil.AddFilenameOptionFlags(c, &f.files, "containing the objects to delete")
	c.Flags().Lookup("filename").Usage = "Files or directories that contain the objects to delete"
	c.Flags().BoolVar(&f.ignoreNotFound, "ignore-not-found", false, "Treat \"not found\" as an object that is deleted.")
	c.Flags().BoolVar(&f.probe, "probe", true, "If true, check with dry runs, which change nothing, whether the API server accepts the deletion and the removal of the finalizers. Needs permission to delete and patch the objects.")
	return c
}

// preflightOptions is a preflight command that is ready to run.
type preflightOptions struct{ *explainOptions }

// check refuses flags that have no meaning, before anything is read.
func (f preflightFlags) check(args []string) error {
	objects := f.checkObjects("preflight", args)
	if len(args) == 0 && f.selector != "" && len(f.files.Filenames) == 0 && f.files.Kustomize == "" {
		objects = nil // of all types
	}
	if err := errors.Join(f.output.check(), objects); err != nil {
		return err
	}
	switch parsed, err := labels.Parse(f.selector); {
	case err != nil:
		return fmt.Errorf("reading --selector: %w", err)
	case f.selector != "" && parsed.Empty():
		return errors.New("reading --selector: it is empty, and would select everything")
	}
	return nil
}

func (f preflightFlags) options(p Program, flags *genericclioptions.ConfigFlags, args []string) (*preflightOptions, error) {
	if err := f.check(args); err != nil {
		return nil, err
	}
	o := &preflightOptions{&explainOptions{explainFlags: f.explainFlags, program: p, args: args}}
	var err error
	if o.source, o.namespace, err = f.from.openSource(p, flags); f.allNamespaces {
		o.namespace = ""
	}
	return o, err
}

// Run reads what is to be deleted, predicts and prints.
func (o *preflightOptions) Run(ctx context.Context) error {
	found, err := o.predict(ctx)
	if err != nil {
		return err
	}
	finish := o.outputFile.redirect(&o.program)
	if err := o.print(found); err != nil {
		return err
	}
	return withOutputFile(preflightExit(found.Outcome), finish)
}

// prediction is a prediction, and what its text needs.
type prediction struct {
	preflight.Result
	listableTypes int
}

// predict reads what is to be deleted, and predicts what becomes of it.
func (o *preflightOptions) predict(ctx context.Context) (found prediction, err error) {
	served, known, err := o.program.loadTypesAndCatalog(ctx, o.source)
	if err != nil {
		return found, err
	}
	view := served.newView(ctx, o.source, o.probe)
	selected, err := o.selected(ctx, view, served)
	if err != nil {
		return found, err
	}
	if len(selected) == 0 {
		if o.selector != "" && isNamespaceAbsent(ctx, o.source, o.namespace) {
			return found, namespaceNotFound(o.namespace)
		}
		fmt.Fprintln(o.program.Streams.ErrOut, "No objects found.")
	}
	found.listableTypes = countListable(served.types)
	found.Result, err = preflight.Run(ctx, preflight.Options{
		Source: o.source, Types: served.types, DiscoveryGaps: served.gaps, View: view, Catalog: known, Probe: o.probe, Selected: selected,
	})
	return found, err
}

// isNamespaceAbsent reports whether the API server says that a namespace does not exist in which
// nothing was selected.
func isNamespaceAbsent(ctx context.Context, source cluster.Source, namespace string) bool {
	if namespace == "" {
		return false
	}
	_, err := source.Metadata(ctx, cluster.NamespaceType, "", namespace)
	return cluster.IsObjectNotFound(err)
}

func preflightExit(outcome preflight.Outcome) error {
	switch outcome {
	case preflight.GetsStuck, preflight.OthersGetStuck:
		return exitStuck
	case preflight.Unknown:
		return exitIncomplete
	case preflight.GoesThrough:
	}
	return nil
}

func (o *preflightOptions) print(found prediction) error {
	result := found.Result
	out := o.program.Streams.Out
	switch {
	case isReport(o.output.chosen):
		return printReport(out, o.output.chosen, report.NewPreflightSummary(result))
	case o.output.chosen != "":
		document := report.NewPreflightReport(result)
		return o.output.printDocument(&document, out)
	case len(result.Selected) == 0 && len(result.Gaps) == 0:
		return nil
	}
	return report.PreflightText(out, result, o.program.width, found.listableTypes)
}

// selected are the objects to be deleted. Those of manifests that do not exist are named: they
// need not be deleted.
func (o *preflightOptions) selected(ctx context.Context, view *cluster.View, served servedTypes) ([]stuck.Object, error) {
	if len(o.args) == 0 && o.selector != "" {
		return o.selectAllTypes(ctx, view, served)
	}
	found, err := o.readTargets(ctx, view, served)
	if err != nil {
		return nil, err
	}
	fromFiles := len(o.files.Filenames) > 0 || o.files.Kustomize != ""
	if fromFiles && !o.ignoreNotFound && len(found.objects) == 0 && len(found.failed) == 0 { // what printed them has failed
		return nil, errors.New("there is no object in the manifests")
	}
	for _, failure := range found.failed {
		var missing notFoundError
		if !fromFiles || !errors.As(failure, &missing) {
			return nil, failure
		}
		fmt.Fprintln(o.program.Streams.ErrOut, message(failure))
	}
	return found.objects, nil
}

// selectAllTypes reads the objects of all types with some labels. What is computed from others
// cannot be watched, and cannot be deleted. The Endpoints of a Service have its labels.
func (o *preflightOptions) selectAllTypes(ctx context.Context, view *cluster.View, served servedTypes) ([]stuck.Object, error) {
	types := slices.DeleteFunc(cluster.SurveyedTypes(served.types, o.namespace), func(t stuck.Type) bool {
		return !t.Watchable || t.Group == "" && (t.Resource == "endpoints" || t.Resource == "events")
	})
	survey, err := cluster.SurveyRequest{
		Types: types, Selection: cluster.Selection{Namespace: o.namespace, Labels: o.selector},
		Keep: func(stuck.Object) bool { return true },
	}.Run(ctx, o.source)
	if err != nil {
		return nil, err
	}
	view.AddGaps(survey.Gaps...)
	view.AddGaps(served.gaps...)
	return deduplicate(survey.Objects), nil
}
