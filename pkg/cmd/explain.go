package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

type explainFlags struct {
	output         formatFlag
	outputFile     outputFileFlag
	exitCode       bool
	probe          bool
	allNamespaces  bool
	selector       string
	files          resource.FilenameOptions
	ignoreNotFound bool
	from           fromFlag
}

func (p Program) newExplain(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:     "explain (-f FILENAME | TYPE [NAME | -l LABEL] | TYPE/NAME ...)",
		Aliases: []string{"why", "describe"},
		Short:   "Say why objects or namespaces are stuck, with evidence",
		Long: `Say why objects or namespaces are stuck: the answer first, then each cause with its evidence and what to do about it,
what a forced removal would leave behind, and what could not be checked. A namespace is explained through what it holds.`,
		Example: `  # Why is this namespace stuck?
  kubectl finalizers explain ns/shop

  # Why is this custom resource stuck?
  kubectl finalizers explain widget w1 -n shop

  # Why are these claims stuck?
  kubectl finalizers explain pvc -l app=db -n shop

  # Why are the objects of a manifest stuck?
  kubectl finalizers explain -f shop.yaml

  # Why is this namespace stuck, as of when a dump was made?
  kubectl finalizers explain ns/shop --from must-gather.tar.gz

  # Draw which objects wait for which
  kubectl finalizers explain ns/shop -o dot | dot -Tsvg > shop.svg`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeDeleting(flags),
	}
	f.output.addTemplates(c, append([]string{"json", "yaml", "kyaml", "dot", "mermaid"}, report.ReportFormats...)...)
	f.outputFile.addTo(c)
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "Explain the objects of the types in all namespaces.")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "Selector (label query) to filter on.")
	cmdutil.AddFilenameOptionFlags(c, &f.files, "containing the objects to explain")
	c.Flags().Lookup("filename").Usage = "Files or directories that contain the objects to explain"
	c.Flags().BoolVar(&f.ignoreNotFound, "ignore-not-found", false, "Treat \"not found\" as a successful explanation.")
	addProbe(c, &f.probe)
	f.from.addTo(c)
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "Exit with 2 when one of the objects is stuck.")
	return c
}

// explainOptions is an explain command that is ready to run.
type explainOptions struct {
	explainFlags
	program   Program
	source    cluster.Source
	namespace string // empty means all
	args      []string
}

func (f explainFlags) options(p Program, flags *genericclioptions.ConfigFlags, args []string) (*explainOptions, error) {
	if err := errors.Join(f.output.check(), f.checkObjects("explain", args)); err != nil {
		return nil, err
	}
	if _, err := labels.Parse(f.selector); err != nil {
		return nil, fmt.Errorf("reading --selector: %w", err)
	}
	o := &explainOptions{explainFlags: f, program: p, args: args}
	var err error
	if o.source, o.namespace, err = f.from.openSource(p, flags); f.allNamespaces {
		o.namespace = ""
	}
	return o, err
}

// checkObjects refuses arguments and flags that do not name objects together, as kubectl
// describe does.
func (f explainFlags) checkObjects(command string, args []string) error {
	fromFiles := len(f.files.Filenames) > 0 || f.files.Kustomize != ""
	switch {
	case fromFiles && (len(args) > 0 || f.selector != "" || f.allNamespaces):
		return errors.New("-f and -k name the objects: they cannot be used with arguments, -l or -A")
	case !fromFiles && len(args) == 0:
		return fmt.Errorf("%s takes objects: TYPE/NAME, such as ns/shop, or TYPE with -l SELECTOR, or -f FILENAME", command)
	}
	return f.checkFiles()
}

// checkFiles refuses what kubectl would fetch from elsewhere: requests go to the API server alone.
func (f explainFlags) checkFiles() error {
	if f.from.path == "-" && slices.Contains(f.files.Filenames, "-") {
		return errors.New("-f - and --from - both read standard input: give one of them a file")
	}
	for _, name := range f.files.Filenames {
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			return fmt.Errorf("-f %s: URLs are not fetched, requests go to the API server only; download it, or pipe it to -f -", name)
		}
	}
	if dir := f.files.Kustomize; dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("-k takes a local directory: %w", err)
		}
	}
	return nil
}

// Run reads, diagnoses and prints. What cannot be read keeps no other object from being
// explained.
func (o *explainOptions) Run(ctx context.Context) error {
	served, known, err := o.program.loadTypesAndCatalog(ctx, o.source)
	if err != nil {
		return err
	}
	view := served.newView(ctx, o.source, o.probe)
	found, err := o.readTargets(ctx, view, served)
	if err != nil {
		return err
	}
	if len(found.objects) == 0 && len(found.failed) == 1 {
		return found.failed[0]
	}
	diagnoses, err := diagnose.Objects(ctx, view, known, found.objects)
	if err != nil {
		return err
	}
	withoutAges(o.source, view, diagnoses)
	if len(diagnoses)+len(found.failed) == 0 {
		fmt.Fprintln(o.program.Streams.ErrOut, "No objects found.")
	}
	finish := o.outputFile.redirect(&o.program)
	screens := explainScreens{explainOptions: o, view: view, served: served, catalog: known, several: found.several}
	if err := screens.print(diagnoses); err != nil {
		return err
	}
	for _, failure := range found.failed {
		fmt.Fprintf(o.program.Streams.ErrOut, "error: %s\n", message(failure))
	}
	return withOutputFile(o.exit(diagnoses, len(found.failed) > 0, o.source.Now()), finish)
}

// exit is the worst of the exit codes of several objects: that one could not be read is
// worse than that others are stuck.
func (o *explainOptions) exit(diagnoses []*stuck.Diagnosis, failed bool, now time.Time) error {
	switch {
	case failed:
		return exitFailed
	case o.exitCode && anyStuck(diagnoses, now):
		return exitStuck
	}
	return nil
}

// explainScreens prints diagnoses.
type explainScreens struct {
	*explainOptions
	view    *cluster.View
	served  servedTypes
	catalog *catalog.Catalog
	// several says that a list was asked for, however many objects are in it.
	several bool
}
