package cmd

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

// printPlan prints what would be deleted.
func (r *sweepRun) printPlan() error {
	if err := r.print(); err != nil {
		return err
	}
	errOut := r.program.Streams.ErrOut
	switch {
	case r.refusal != "":
		fmt.Fprintf(errOut, "error: %s; nothing was deleted\n", r.refusal)
		return exitRefused
	case len(r.selected(sweep.Delete)) > 0:
		fmt.Fprintln(errOut, "To delete these objects, add --yes.")
	}
	return r.exitUnread()
}

// exitUnread is the code for what could not be read: then objects were kept, or their order may be another one.
func (r *sweepRun) exitUnread() error {
	if len(r.gaps) > 0 || slices.ContainsFunc(r.items, func(i sweep.Item) bool { return i.Unread }) {
		return exitIncomplete
	}
	return nil
}

// printResult prints what was deleted and what is left.
func (r *sweepRun) printResult() error {
	hidden := map[stuck.ObjectKey]bool{}
	r.items = slices.DeleteFunc(r.items, func(i sweep.Item) bool {
		hidden[i.Object.Key()] = i.Left() && i.Result != sweep.Failed && i.Sweeps < r.stuckFor
		return hidden[i.Object.Key()]
	})
	r.stuck = slices.DeleteFunc(r.stuck, func(d *stuck.Diagnosis) bool { return hidden[d.Object.Key()] })
	if err := r.print(); err != nil {
		return err
	}
	results := map[sweep.Result]int{}
	for _, i := range r.items {
		results[i.Result]++
	}
	if len(r.stuck) > 0 && r.output.chosen == "" {
		fmt.Fprintf(r.program.Streams.ErrOut, "To see why, and what to do:\n  %s\n", stuck.Command("", append([]string{"finalizers", "explain"}, r.stuck[0].Object.Args()...)...))
	}
	if r.unsaved != nil {
		fmt.Fprintf(r.program.Streams.ErrOut, "error: saving what the sweep could not delete: %s\n", oneLine(r.unsaved.Error()))
	}
	if r.unrecorded != nil {
		fmt.Fprintf(r.program.Streams.ErrOut, "error: %s\n", oneLine(r.unrecorded.Error()))
	}
	switch {
	case r.unsaved != nil, r.unrecorded != nil, results[sweep.Failed] > 0:
		return exitFailed
	case results[sweep.Stuck]+results[sweep.Held] > 0:
		return exitStuck
	}
	return r.exitUnread()
}

// print prints a table, a document or a report.
func (r *sweepRun) print() error {
	s, streams := r.sweep(), r.program.Streams
	for _, line := range report.GapLines(r.gaps) {
		fmt.Fprintf(streams.ErrOut, "could not read %s\n", oneLine(line))
	}
	switch {
	case isReport(r.output.chosen):
		return printReport(streams.Out, r.output.chosen, s.Report(r.source.Now()))
	case r.output.chosen != "":
		return r.output.printDocument(report.NewSweepReport(s), streams.Out)
	}
	if len(s.Items) > 0 {
		table := report.TableWriter{Columns: report.ColumnWriter{Gap: columnGap}}
		if err := table.Write(streams.Out, s.Table()); err != nil {
			return err
		}
	}
	fmt.Fprintln(streams.ErrOut, s.Headline())
	return nil
}
