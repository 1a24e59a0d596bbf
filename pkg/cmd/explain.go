package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

type explainFlags struct {
	output   formatFlag
	exitCode bool
	probe    bool
}

func (p Program) newExplain(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain TYPE/NAME",
		Short: "Say why one object or namespace is stuck, with evidence",
		Long: `Say why an object or a namespace is stuck: the answer first, then the evidence, what to do first, what forcing it
would leave behind, and what could not be checked. A namespace is explained through what it holds.`,
		Example: `  # Why will this namespace not go?
  kubectl finalizers explain ns/shop

  # Why will this custom resource not go?
  kubectl finalizers explain widget/w1 -n shop

  # What waits for what, as a picture
  kubectl finalizers explain ns/shop -o dot | dot -Tsvg > shop.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return fmt.Errorf("explain takes one object: TYPE/NAME, such as ns/shop")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeDeleting(flags),
	}
	f.output.addTo(c, "json", "yaml", "dot", "mermaid")
	addProbe(c, &f.probe)
	c.Flags().BoolVar(&f.exitCode, "exit-code", false, "Exit with 2 when the object is stuck.")
	return c
}

// explainOptions is an explain command that is ready to run.
type explainOptions struct {
	explainFlags
	program   Program
	source    cluster.Source
	namespace string
	args      []string
}

func (f explainFlags) options(p Program, flags *genericclioptions.ConfigFlags, args []string) (*explainOptions, error) {
	if err := f.output.check(); err != nil {
		return nil, err
	}
	o := &explainOptions{explainFlags: f, program: p, args: args}
	var err error
	o.source, o.namespace, err = p.openSource(flags)
	return o, err
}

func (o *explainOptions) print(d *stuck.Diagnosis, gaps []stuck.Gap) error {
	out := o.program.Streams.Out
	switch o.output.chosen {
	case "":
		return report.ExplanationText(out, d, gaps, o.source.Now())
	case "dot":
		return report.Dot(out, d)
	case "mermaid":
		return report.Mermaid(out, d)
	}
	explanation := report.NewExplanation(d, gaps)
	return o.output.printDocument(&explanation, out)
}

// Run reads, diagnoses and prints.
func (o *explainOptions) Run(ctx context.Context) error {
	served, known, err := o.program.loadTypesAndCatalog(ctx, o.source)
	if err != nil {
		return err
	}
	view := served.newView(ctx, o.source, o.probe)
	object, err := o.read(ctx, view, served)
	if err != nil {
		return err
	}
	diagnoses, err := diagnose.Objects(ctx, view, known, []stuck.Object{object})
	if err != nil {
		return err
	}
	if err := o.print(diagnoses[0], view.AllGaps()); err != nil {
		return err
	}
	if o.exitCode && anyStuck(diagnoses, o.source.Now()) {
		return exitStuck
	}
	return nil
}

// read finds the object that the arguments name.
func (o *explainOptions) read(ctx context.Context, view *cluster.View, served servedTypes) (stuck.Object, error) {
	targets, err := parseTargets(served, o.args)
	if err != nil {
		return stuck.Object{}, err
	}
	if len(targets) != 1 || targets[0].Name == "" {
		return stuck.Object{}, fmt.Errorf("%q does not name one object: write TYPE/NAME, such as ns/shop", strings.Join(o.args, " "))
	}
	return readTarget(ctx, o.source, view, targets[0], o.namespace)
}
