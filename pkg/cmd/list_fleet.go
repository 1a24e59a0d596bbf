package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fleetList is a list of several clusters.
type fleetList struct {
	listFlags
	fleetOptions
	args []string
	// terminal says that messages are for a person.
	terminal bool
	// scope is the namespace that was named, empty where none was.
	scope   string
	results []fleetResult[*clusterList]
}

// clusterList is the list of one of them.
type clusterList struct {
	*listOptions
	diagnoses []*stuck.Diagnosis
	gaps      []stuck.Gap
	// typo is the error of a --finalizer that was probably meant to be another.
	typo error
}

// checkFleet refuses flags that do not go with several clusters.
func (f listFlags) checkFleet() error {
	switch {
	case f.watch:
		return errors.New("--watch watches one cluster: select it with --context")
	case f.from.path != "":
		return errDumpOfFleet
	case f.output.Format == "name":
		return errors.New("-o name does not name the cluster: use -o custom-columns=CLUSTER:.cluster,KIND:.kind,NAME:.metadata.name, or -o json")
	}
	return nil
}

// runFleet lists several clusters.
func (f listFlags) runFleet(c *cobra.Command, p Program, flags *genericclioptions.ConfigFlags, args []string) error {
	selected, err := f.check(c)
	if err = errors.Join(err, f.checkFleet()); err != nil {
		return err
	}
	l := fleetList{listFlags: f, args: args, terminal: newProgress(p.terminal).terminal(), scope: *flags.Namespace}
	if l.fleetOptions, err = f.fleet.options(p, flags, f.allNamespaces); err != nil {
		return err
	}
	l.results, err = readFleet(c.Context(), l.fleetOptions, 0, func(ctx context.Context, p Program, cluster fleetCluster) (*clusterList, error) {
		o := &listOptions{listFlags: f, program: p, args: args, fields: selected}
		var err error
		if o.source, o.namespace, err = p.openSource(cluster.flags()); err != nil {
			return nil, err
		}
		if f.allNamespaces {
			o.namespace = ""
		}
		return o.readForFleet(ctx)
	})
	if err != nil {
		return err
	}
	if err := l.checkResults(); err != nil {
		return err
	}
	finish := l.outputFile.redirect(&l.program)
	return withOutputFile(l.print(), finish)
}

// readForFleet is read without what only a single list needs.
func (o *listOptions) readForFleet(ctx context.Context) (*clusterList, error) {
	l, err := o.read(ctx, newProgress(o.program.terminal))
	if err != nil {
		return nil, err
	}
	out := &clusterList{listOptions: o, diagnoses: l.diagnoses, gaps: l.view.AllGaps()}
	if len(l.diagnoses) == 0 {
		out.typo = o.checkFinalizer(l.view, l.catalog)
	}
	return out, nil
}

// checkResults sorts the lists, and refuses a field that no object has, and a finalizer that was
// probably meant to be another.
func (l *fleetList) checkResults() error {
	var first, typo error
	sorted := false
	for _, r := range l.read() {
		diagnoses, err := r.value.sorted(r.value.diagnoses)
		switch {
		case err == nil:
			r.value.diagnoses, sorted = diagnoses, sorted || len(diagnoses) > 0
		case first == nil:
			first = err
		}
		if typo == nil {
			typo = r.value.typo
		}
	}
	switch {
	case sorted:
		return nil
	case first != nil:
		return first
	case l.objects() == 0:
		return typo
	}
	return nil
}

// read are the clusters that could be read.
func (l *fleetList) read() []fleetResult[*clusterList] {
	return slices.DeleteFunc(slices.Clone(l.results), func(r fleetResult[*clusterList]) bool { return r.err != nil })
}

// objects is how many were found.
func (l *fleetList) objects() int {
	n := 0
	for _, r := range l.read() {
		n += len(r.value.diagnoses)
	}
	return n
}

// print prints what was found.
func (l *fleetList) print() error {
	printMessages(l.program, l.results)
	anyFound, incomplete := false, unread(l.results) > 0
	for _, r := range l.read() {
		for _, line := range report.GapLines(r.value.gaps) {
			fmt.Fprintf(l.program.Streams.ErrOut, "%s: could not read %s\n", r.title(), oneLine(line))
		}
		anyFound = anyFound || anyStuck(r.value.diagnoses, r.value.source.Now())
		incomplete = incomplete || len(r.value.gaps) > 0
	}
	if l.output.table() {
		l.printSummary(incomplete)
	}
	if err := l.printLists(); err != nil {
		return err
	}
	switch {
	case !l.exitCode:
		return nil
	case anyFound:
		return exitStuck
	case incomplete:
		return exitIncomplete
	}
	return nil
}

// printSummary says what was found in each cluster, for a person at a terminal, and that nothing was
// found, to anyone.
func (l *fleetList) printSummary(incomplete bool) {
	out := l.program.Streams.ErrOut
	if l.objects() == 0 {
		message := fmt.Sprintf("No %s found in %s.", l.searched(l.args), l.where())
		if incomplete {
			message = fmt.Sprintf("No %s found in %s, but not everything could be read.", l.searched(l.args), l.where())
		}
		fmt.Fprintln(out, message)
		return
	}
	if !l.terminal {
		return
	}
	for _, r := range l.read() {
		line := "no " + l.searched(l.args) + " found"
		if lines := report.SummaryLines(r.value.diagnoses, l.tableOptions(r.value)); len(lines) > 0 {
			line = lines[0]
		}
		fmt.Fprintf(out, "%s: %s\n", r.title(), line)
	}
	fmt.Fprintln(out)
}

// where is the scope in words.
func (l *fleetList) where() string {
	clusters := stuck.Count(len(l.read()), "cluster")
	switch {
	case l.allNamespaces:
		return clusters
	case l.scope != "":
		return "namespace " + l.scope + " of " + clusters
	}
	return "the current namespace of " + clusters
}

func (l *fleetList) tableOptions(c *clusterList) report.TableOptions {
	options := c.tableOptions()
	options.WithNamespace = l.allNamespaces || l.scope == ""
	return options
}

// printLists prints the lists as a table, a document or a report.
func (l *fleetList) printLists() error {
	out := l.program.Streams.Out
	switch {
	case l.output.table():
		table := &metav1.Table{}
		for _, r := range l.read() {
			if l.by == byCause {
				report.AddCluster(table, r.name(), report.CauseTable(report.RootCauses(r.value.diagnoses), l.tableOptions(r.value)))
			} else {
				report.AddCluster(table, r.name(), report.Table(r.value.diagnoses, l.tableOptions(r.value)))
			}
		}
		return l.tableWriter().Write(out, table)
	case l.output.isReport():
		return printReport(out, l.output.Format, l.report())
	}
	lists := make([]report.StuckList, len(l.results))
	for i, r := range l.results {
		if r.err == nil {
			lists[i] = report.NewStuckList(r.value.diagnoses, r.value.gaps)
		}
	}
	return l.output.printList(report.JoinStuckLists(documents(l.results), lists), out)
}

// report is the report of all clusters.
func (l *fleetList) report() report.Report {
	var parts []report.ClusterReport
	stuckIn := 0
	for _, r := range l.results {
		if r.err != nil {
			parts = append(parts, r.unreadReport("list"))
			continue
		}
		if anyStuck(r.value.diagnoses, r.value.source.Now()) {
			stuckIn++
		}
		parts = append(parts, report.ClusterReport{Cluster: r.name(), Report: report.NewReport("list", r.value.diagnoses, r.value.gaps, r.value.source.Now())})
	}
	headline := fmt.Sprintf("Objects are stuck in Terminating in %d of %s.", stuckIn, stuck.Count(len(l.results), "cluster"))
	return report.JoinReports(headline+unreadText(l.results), parts)
}
