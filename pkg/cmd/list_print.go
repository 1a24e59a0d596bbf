package cmd

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// byCause is the value of --by that prints root causes.
const byCause = "cause"

// checkBy refuses what does not go with --by.
func (f listFlags) checkBy() error {
	switch {
	case f.by == "":
		return nil
	case f.by != byCause:
		return fmt.Errorf("reading --by: %q is not supported; the only value is %q", f.by, byCause)
	case !f.output.table():
		return errors.New("--by prints a table: use it without -o, or with -o wide")
	case f.watch:
		return errors.New("--by cannot be used with --watch: leave out one of them")
	case f.sortBy != "":
		return errors.New("--by cannot be used with --sort-by: root causes are sorted by the objects that they block")
	}
	return nil
}

// columnGap is how many spaces are between the columns of a table.
const columnGap = 2

func (f listFlags) tableWriter() *report.TableWriter {
	return &report.TableWriter{Wide: f.output.Format == "wide", NoHeaders: f.output.NoHeaders, Columns: report.ColumnWriter{Gap: columnGap}}
}

// print prints what was found. The summary is for a person at a terminal.
func (o *listOptions) print(view *cluster.View, diagnoses []*stuck.Diagnosis, terminal bool) error {
	streams, gaps := o.program.Streams, view.AllGaps()
	for _, line := range report.GapLines(gaps) {
		fmt.Fprintf(streams.ErrOut, "could not read %s\n", oneLine(line))
	}
	if terminal && o.output.table() {
		o.printSummary(diagnoses)
	}
	if err := o.printDiagnoses(diagnoses, gaps); err != nil {
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

func (o *listOptions) printSummary(diagnoses []*stuck.Diagnosis) {
	lines := report.SummaryLines(diagnoses, o.tableOptions())
	if o.by == byCause && len(lines) > 1 {
		lines = lines[:1] // the first rows say the rest
	}
	for _, line := range lines {
		fmt.Fprintln(o.program.Streams.ErrOut, line)
	}
	if len(lines) > 0 {
		fmt.Fprintln(o.program.Streams.ErrOut)
	}
}

func (o *listOptions) printDiagnoses(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap) error {
	out := o.program.Streams.Out
	switch {
	case o.by == byCause:
		return o.table.Write(out, report.CauseTable(report.RootCauses(diagnoses), o.tableOptions()))
	case o.watch && o.output.Format != "name":
		return o.printEvents(report.EventStuck, diagnoses)
	case o.output.table():
		return o.table.Write(out, o.objectTable(diagnoses, ""))
	case o.output.isReport():
		return printReport(out, o.output.Format, report.NewReport("list", diagnoses, gaps, o.source.Now()))
	}
	return o.output.printList(report.NewStuckList(diagnoses, gaps), out)
}

func (o *listOptions) tableOptions() report.TableOptions {
	return report.TableOptions{Now: o.source.Now(), WithNamespace: o.namespace == "", Wide: o.output.Format == "wide", Names: o.names}
}

func (o *listOptions) objectTable(diagnoses []*stuck.Diagnosis, event report.Event) *metav1.Table {
	options := o.tableOptions()
	options.Event = event
	return report.Table(diagnoses, options)
}

func anyStuck(diagnoses []*stuck.Diagnosis, now time.Time) bool {
	for _, d := range diagnoses {
		if d.Object.IsStuck(now) || d.Object.NamespaceMissing {
			return true
		}
	}
	return false
}
