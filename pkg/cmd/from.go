package cmd

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fromFlag selects a dump in place of a cluster.
type fromFlag struct {
	path  string
	limit resource.QuantityValue
	flags *pflag.FlagSet
}

func (f *fromFlag) addTo(c *cobra.Command) {
	f.flags = c.Flags()
	f.limit.Quantity = *resource.NewQuantity(dump.DefaultLimit, resource.BinarySI)
	c.Flags().StringVar(&f.path, "from", "", "Read a dump in place of a cluster: a folder, an archive (.tar, .tar.gz, .zip), a file of objects, or - for standard input. "+
		"It can be from crust-gather, oc adm inspect or must-gather, troubleshoot.sh, sonobuoy, kubectl cluster-info dump, kubectl get -o json or -o yaml, or kubectl finalizers snapshot.")
	c.Flags().Var(&f.limit, "from-limit", "How much of a dump is read at most, uncompressed. Its files and objects are limited in proportion.")
}

// clusterFlags select a cluster, or who asks it.
var clusterFlags = []string{"kubeconfig", "context", "cluster", "user", "server", "token", "as", "as-group", "as-uid"}

// openSource opens the dump, or without one the cluster that the flags select, and returns the
// namespace that they select. The namespace of the kubeconfig is one of another cluster.
func (f *fromFlag) openSource(p Program, flags *genericclioptions.ConfigFlags) (cluster.Source, string, error) {
	if f.path == "" {
		return p.openSource(flags)
	}
	for _, name := range clusterFlags {
		if f.flags.Changed(name) {
			return nil, "", fmt.Errorf("--%s selects a cluster, and --from reads a dump: leave out one of them", name)
		}
	}
	namespace := *flags.Namespace
	if namespace == "" {
		namespace = "default"
	}
	if err := checkNamespace(namespace); err != nil {
		return nil, "", err
	}
	if f.limit.Value() <= 0 {
		return nil, "", errors.New("--from-limit must be positive")
	}
	// What is kept of a dump is mostly compressed text, which costs nothing to look through.
	debug.SetGCPercent(20)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(math.MaxInt64) // the limit of main is for the answers of a server; a dump may be larger
	}
	source, err := dump.Open(f.path, p.Streams.In, f.limit.Value())
	if err != nil {
		return nil, "", fmt.Errorf("reading --from %s: %w", f.path, err)
	}
	p.printDumpTime(source)
	return source, namespace, nil
}

// printDumpTime says first what the dump is, and what "now" is in it.
func (p Program) printDumpTime(source *dump.Source) {
	const minute = "2006-01-02 15:04 MST"
	switch now := source.Now(); {
	case now.IsZero():
		fmt.Fprintf(p.Streams.ErrOut, "from %s, which has no time: ages are not known\n", source.Name())
	case source.TimeIsGuessed():
		fmt.Fprintf(p.Streams.ErrOut, "as of %s or later, from %s, which does not say when it was made: ages are at least those at the newest time in it\n", now.Format(minute), source.Name())
	default:
		fmt.Fprintf(p.Streams.ErrOut, "as of %s, from %s\n", now.Format(minute), source.Name())
	}
}

// withoutAges drops what rests on how long ago something happened, where the dump does not say when it
// was made: that a controller is at work is known only of the recent past.
func withoutAges(source cluster.Source, view *cluster.View, diagnoses []*stuck.Diagnosis) {
	d, ok := source.(*dump.Source)
	if !ok || !d.TimeIsGuessed() {
		return
	}
	gap := stuck.Gap{Source: "the time of the dump", Error: "not in this dump: whether a controller still works on the objects is not known"}
	var all []*stuck.Diagnosis
	for _, root := range diagnoses {
		all = append(all, slices.DeleteFunc(root.All(), func(each *stuck.Diagnosis) bool { return !each.Object.NeedsVerdict() })...)
	}
	for _, each := range all {
		if each.Verdict != stuck.Progressing && !slices.ContainsFunc(each.Findings, isProgressing) {
			continue
		}
		view.AddGaps(gap)
		each.Findings = slices.DeleteFunc(each.Findings, isProgressing)
		each.Unexplained = stuck.NewDiagnosis(each.Object, each.Findings, nil).Unexplained
		each.NotRuledOut = append(each.NotRuledOut, stuck.OpenCause{Cause: "controller-progressing", Source: gap.Source})
	}
	for _, each := range all {
		each.Verdict = ""
	}
	for _, each := range all {
		each.Conclude()
	}
}

func isProgressing(f stuck.Finding) bool { return f.Verdict == stuck.Progressing }

// hasAPIServer reports whether an API server answers, or did so when a snapshot was made: a dump
// of another tool has only objects.
func hasAPIServer(source cluster.Source) bool {
	d, ok := source.(*dump.Source)
	return !ok || d.HasAnswers()
}
