package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

type sweepFlags struct {
	output        formatFlag
	outputFile    outputFileFlag
	allNamespaces bool
	selector      string
	olderThan     age
	annotations   []string
	yes           bool
	maxObjects    int
	maxPercent    int
	timeout       time.Duration
	stall         time.Duration
	stuckFor      int
	stateDir      string
	stateName     string
	acceptLater   bool
	probe         bool
}

const (
	defaultMaxObjects = 100
	defaultMaxPercent = 100
)

func (p Program) newSweep(flags *genericclioptions.ConfigFlags) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep [TYPE ...]",
		Short: "Delete what has expired, and say why objects are left",
		Long: `Delete objects that have labels, or an annotation that says that they have expired; namespaces, unless types are named.
Without --yes it deletes nothing, and shows what it would delete.

It deletes as kubectl delete does, and removes no finalizers. Objects with finalizers that a controller has to remove are
deleted first. While one of them is left, three things are not deleted: its namespace, as its controller may be in it, the
namespace in which its controller was found, and objects without a namespace. Then it waits, and says why objects are
stuck, as list does.

It deletes an object only in the state in which it was selected. A namespace is deleted with all objects in it. What is of
the system is kept: the namespaces kube-*, default, openshift and openshift-*, the objects in them, Nodes, and objects
without a namespace that Kubernetes creates itself, such as the default ClusterRoles.

An object is kept if one of its annotations has not expired or cannot be read, even if it has the labels. A namespace
is kept if an object in it is kept, of the types that are named, and so is what objects that are not deleted need to
be deleted later, such as their controller, as preflight says, unless --accept-stuck-later allows it. Labels that only
say what is kept, as in -l '!keep', are refused unless something else says what is deleted. The annotations are those
of kube-janitor, ci-ns-ttl-controller and k8s-ttl-controller, unless others are named. The exit code is 2 if objects
are left, 3 if more are selected than the limits allow or if it is not known in which namespace the sweep runs, and 4
if not everything could be read.`,
		Example: `  # Show the namespaces that have expired
  kubectl finalizers sweep

  # Delete them
  kubectl finalizers sweep --yes

  # Delete namespaces with a label that are older than a day, at most 20
  kubectl finalizers sweep -l env=preview --older-than=1d --max-objects=20 --yes

  # Report only what three sweeps in a row could not delete
  kubectl finalizers sweep --yes --stuck-for=3 -o junit`,
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.options(p, flags, c, args)
			if err != nil {
				return err
			}
			return o.Run(c.Context())
		},
		ValidArgsFunction: p.completeTypes(flags),
	}
	f.addTo(c)
	return c
}

func (f *sweepFlags) addTo(c *cobra.Command) {
	f.output.addTemplates(c, append([]string{"json", "yaml", "kyaml"}, report.ReportFormats...)...)
	f.outputFile.addTo(c)
	c.Flags().BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "If present, select objects in all namespaces. Types without a namespace need no -A.")
	c.Flags().StringVarP(&f.selector, "selector", "l", "", "Selector (label query) to filter on. Without it, only objects with an annotation are selected.")
	c.Flags().Var(&f.olderThan, "older-than", "Only select objects that are at least this old (e.g. 10m, 24h, 7d).")
	c.Flags().StringArrayVar(&f.annotations, "ttl-annotation", nil, "Only select objects that have expired by this annotation: a duration, a time, or forever. May be repeated. (default "+strings.Join(sweep.DefaultAnnotations, ", ")+")")
	c.Flags().BoolVar(&f.yes, "yes", false, "Delete the objects. Without it nothing is deleted.")
	c.Flags().IntVar(&f.maxObjects, "max-objects", defaultMaxObjects, "Delete nothing if more objects than this are selected.")
	c.Flags().IntVar(&f.maxPercent, "max-percent", defaultMaxPercent, "Delete nothing if more of the objects of a type are selected than this percentage.")
	c.Flags().BoolVar(&f.acceptLater, strings.TrimPrefix(sweep.FlagAcceptStuckLater, "--"), false, "Delete also what objects that are not deleted need to be deleted later, such as their controller.")
	c.Flags().DurationVar(&f.timeout, "timeout", defaultWaitTimeout, "How long to wait until the objects are deleted, in all.")
	c.Flags().DurationVar(&f.stall, "stall", defaultStall, "Stop waiting when nothing has moved for this long. Zero means to wait for --timeout in any case.")
	c.Flags().IntVar(&f.stuckFor, "stuck-for", 1, "Report only objects that at least this many sweeps in a row could not delete.")
	c.Flags().StringVar(&f.stateDir, "state-dir", "", "Folder for the audit file, and for what sweeps could not delete (default $XDG_STATE_HOME/kubectl-finalizers).")
	c.Flags().StringVar(&f.stateName, "state-configmap", "", "ConfigMap for what sweeps could not delete (NAMESPACE/NAME), in place of a file. It is created if it does not exist, and only sweeps may use it.")
	addProbe(c, &f.probe)
}

// sweepOptions is a sweep command that is ready to run.
type sweepOptions struct {
	sweepFlags
	program  Program
	source   cluster.Source
	remote   Remote
	selector sweep.Selector
	args     []string
	// namedNamespace says that -n was given.
	namedNamespace bool
}

func (f sweepFlags) options(p Program, flags *genericclioptions.ConfigFlags, c *cobra.Command, args []string) (*sweepOptions, error) {
	if err := errors.Join(f.output.check(), f.check(c, args)); err != nil {
		return nil, err
	}
	o := &sweepOptions{sweepFlags: f, program: p, args: args}
	var namespace string
	var err error
	if o.source, namespace, err = p.openSource(flags); err != nil {
		return nil, err
	}
	o.namedNamespace = *flags.Namespace != "" && !f.allNamespaces
	if f.allNamespaces {
		namespace = ""
	}
	o.selector = sweep.Selector{
		Namespace: namespace, Labels: f.selector, OlderThan: time.Duration(f.olderThan),
		Annotations: f.annotations, NeedsAnnotation: len(f.annotations) > 0,
	}
	if len(f.annotations) == 0 {
		o.selector.Annotations = sweep.DefaultAnnotations
	}
	if o.selector.State, err = f.stateConfigMap(); err != nil {
		return nil, err
	}
	o.remote, err = p.Remote(flags)
	return o, err
}

// stateConfigMap is the ConfigMap of --state-configmap, empty without the flag.
func (f sweepFlags) stateConfigMap() (name types.NamespacedName, err error) {
	if f.stateName == "" {
		return name, nil
	}
	name.Namespace, name.Name, _ = strings.Cut(f.stateName, "/")
	if len(validation.IsDNS1123Label(name.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(name.Name)) > 0 {
		return name, errors.New("reading --state-configmap: it takes NAMESPACE/NAME, such as ci/finalizers-sweep")
	}
	return name, nil
}

// check refuses what selects everything, and what makes no sense.
func (f sweepFlags) check(c *cobra.Command, args []string) error {
	parsed, err := labels.Parse(f.selector)
	switch {
	case err != nil:
		return fmt.Errorf("reading --selector: %w", err)
	case c.Flags().Changed("selector") && parsed.Empty():
		return errors.New("reading --selector: it is empty, and would select everything; leave it out to select by annotations")
	case slices.ContainsFunc(f.annotations, func(key string) bool { return len(validation.IsQualifiedName(strings.ToLower(key))) > 0 }):
		return errors.New("reading --ttl-annotation: it takes the key of an annotation, such as janitor/ttl")
	case slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "/") }):
		return errors.New("sweep takes types, and selects objects by -l and annotations; to delete one object, use kubectl delete and kubectl finalizers wait")
	case f.olderThan < 0, f.stall < 0, f.timeout <= 0:
		return errors.New("--older-than and --stall must not be negative, and --timeout must be more than 0")
	case f.maxObjects < 1, f.maxPercent < 1, f.maxPercent > 100, f.stuckFor < 1:
		return errors.New("--max-objects and --stuck-for must be at least 1, and --max-percent from 1 to 100")
	case f.outputFile.path != "" && !isReport(f.output.chosen):
		return errors.New("--output-file takes a report: use it with -o " + strings.Join(report.ReportFormats, ", "))
	}
	return nil
}
