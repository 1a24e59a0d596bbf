package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fleetFlags select several clusters.
type fleetFlags struct {
	all      bool
	contexts []string
	flags    *pflag.FlagSet
}

func (f *fleetFlags) addTo(c *cobra.Command, flags *genericclioptions.ConfigFlags) {
	f.flags = c.Flags()
	c.Flags().BoolVar(&f.all, "all-contexts", false, "If present, read the clusters of all contexts in the kubeconfig. --kubeconfig can be a folder of such files.")
	c.Flags().StringSliceVar(&f.contexts, "contexts", nil, "Read the clusters of these contexts in the kubeconfig, separated by commas.")
	registerCompletion(c, "contexts", completeContexts(flags))
}

// used reports whether the command line selects several clusters.
func (f *fleetFlags) used(flags *genericclioptions.ConfigFlags) bool {
	return f.all || f.flags.Changed("contexts") || isFolder(*flags.KubeConfig)
}

// oneClusterFlags select one cluster, or are credentials for one: no other may get these.
var oneClusterFlags = []string{
	"context", "cluster", "user", "server", "token", "username", "password", "certificate-authority", "client-certificate", "client-key",
	"tls-server-name", "insecure-skip-tls-verify", "proxy-url",
}

var errDumpOfFleet = errors.New("--from reads a dump in place of a cluster: leave out --from, or what selects clusters")

// check refuses what does not go with several clusters.
func (f *fleetFlags) check() error {
	selects := "--kubeconfig names a folder, which selects"
	switch {
	case f.all && f.flags.Changed("contexts"):
		return errors.New("--all-contexts selects all contexts, and --contexts some of them: leave out one of them")
	case f.all:
		selects = "--all-contexts selects"
	case f.flags.Changed("contexts"):
		selects = "--contexts selects"
	}
	for _, name := range oneClusterFlags {
		if f.flags.Changed(name) {
			return fmt.Errorf("%s several clusters, and --%s is for one: leave out one of them", selects, name)
		}
	}
	if f.flags.Changed("contexts") && strings.TrimSpace(strings.Join(f.contexts, "")) == "" {
		return errors.New("--contexts names no context: separate names with commas, such as --contexts=staging,prod")
	}
	return nil
}

// fleetCluster is a cluster with the contexts that select it, the first of which is used.
type fleetCluster struct {
	contexts []kubeContext
	server   string
	// err says why it cannot be read.
	err error
}

func (c fleetCluster) name() string { return c.contexts[0].name }

// title is the name as it is printed.
func (c fleetCluster) title() string { return stuck.EscapeLine(c.name()) }

// flags are the connection flags that select the cluster.
func (c fleetCluster) flags() *genericclioptions.ConfigFlags { return c.contexts[0].flags }

// errorText is the reason why it could not be read.
func (c fleetCluster) errorText(err error) string {
	if c.flags() == nil {
		return message(err)
	}
	return errorText(err, c.flags())
}

// fleetOptions is a command for several clusters that is ready to run.
type fleetOptions struct {
	program  Program
	contexts []kubeContext
	// anyNamespace says that the namespace of a context does not matter.
	anyNamespace bool
	// atOnce is how many clusters are read at the same time.
	atOnce int
}

// options reads the contexts.
func (f *fleetFlags) options(p Program, flags *genericclioptions.ConfigFlags, anyNamespace bool) (fleetOptions, error) {
	if err := f.check(); err != nil {
		return fleetOptions{}, err
	}
	contexts, err := loadContexts(flags)
	if err != nil {
		return fleetOptions{}, err
	}
	if f.flags.Changed("contexts") {
		contexts, err = selectContexts(contexts, f.contexts)
	}
	p.Catalog = sync.OnceValues(p.Catalog) // the same for all clusters
	return fleetOptions{program: p, contexts: contexts, anyNamespace: anyNamespace || *flags.Namespace != "", atOnce: maxClustersAtOnce}, err
}

// fleetResult is what was read of a cluster.
type fleetResult[T any] struct {
	fleetCluster
	value T
	// messages are what the command said meanwhile.
	messages string
}

// readFleet runs the reads of a command on each cluster, which it may watch for some time. It fails
// only where no cluster could be read.
func readFleet[T any](ctx context.Context, o fleetOptions, watching time.Duration, read func(context.Context, Program, fleetCluster) (T, error)) ([]fleetResult[T], error) {
	progress := newProgress(o.program.terminal)
	defer progress.done()
	clusters, err := o.identify(ctx, progress)
	if err != nil {
		return nil, err
	}
	results := make([]fleetResult[T], len(clusters))
	err = o.forEach(ctx, len(clusters), func(done int) { progress.clusters(done, len(clusters)) }, func(i int) {
		results[i].fleetCluster = clusters[i]
		if clusters[i].err == nil {
			results[i] = readCluster(ctx, o.program, watching, clusters[i], read)
		}
	})
	if err != nil {
		return nil, err
	}
	return results, nothingRead(results)
}

// nothingRead is the error of a fleet of which no cluster could be read.
func nothingRead[T any](results []fleetResult[T]) error {
	var lines []string
	same := ""
	for _, r := range results {
		if r.err == nil {
			return nil
		}
		same = r.errorText(r.err)
		lines = append(lines, r.title()+": "+same)
	}
	switch {
	case len(lines) == 1:
		return errors.New(lines[0])
	case !slices.ContainsFunc(results, func(r fleetResult[T]) bool { return r.errorText(r.err) != same }):
		return fmt.Errorf("in each of %d clusters: %s", len(lines), same)
	}
	return fmt.Errorf("in each of %d clusters: %s", len(lines), stuck.JoinFirst(lines, maxFleetErrors))
}

// maxFleetErrors is how many clusters an error names.
const maxFleetErrors = 3

// printMessages prints what was said of each cluster, and why one could not be read.
func printMessages[T any](p Program, results []fleetResult[T]) {
	for _, r := range results {
		if len(r.contexts) > 1 {
			var others []string
			for _, each := range r.contexts[1:] {
				others = append(others, stuck.EscapeLine(each.name))
			}
			fmt.Fprintf(p.Streams.ErrOut, "%s: the same cluster as %s, read once\n", r.title(), stuck.JoinFirst(others, stuck.MaxUngrouped))
		}
		switch {
		case isAbsence(r.err):
			fmt.Fprintf(p.Streams.ErrOut, "%s: %s\n", r.title(), r.errorText(r.err))
		case r.err != nil:
			fmt.Fprintf(p.Streams.ErrOut, "%s: could not be read: %s\n", r.title(), r.errorText(r.err))
		}
		for line := range strings.Lines(r.messages) {
			fmt.Fprintf(p.Streams.ErrOut, "%s: %s\n", r.title(), strings.TrimSuffix(line, "\n"))
		}
	}
}

// printSection prints the text of one cluster. The commands in it name no cluster.
func (r fleetResult[T]) printSection(p Program, print func(Program) error) error {
	var text bytes.Buffer
	out := p.Streams.Out
	p.Streams.Out = report.EscapeWriter(&text)
	if err := print(p); err != nil {
		return err
	}
	heading := "Cluster " + r.title()
	if bytes.Contains(text.Bytes(), []byte("kubectl ")) {
		heading += "\nAdd " + stuck.EscapeLine(r.contexts[0].arguments()) + " to the commands below."
	}
	_, err := fmt.Fprintf(out, "\n%s\n\n%s", heading, text.Bytes())
	return err
}

// unread is how many clusters could not be read. One that does not have what was named is none of
// them.
func unread[T any](results []fleetResult[T]) int {
	n := 0
	for _, r := range results {
		if r.err != nil && !isAbsence(r.err) {
			n++
		}
	}
	return n
}

// unreadText says how many clusters could not be read, behind another sentence.
func unreadText[T any](results []fleetResult[T]) string {
	if n := unread(results); n > 0 {
		return fmt.Sprintf(" %s could not be read.", stuck.Count(n, "cluster"))
	}
	return ""
}
