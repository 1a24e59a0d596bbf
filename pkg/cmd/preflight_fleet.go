package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fleetPreflight is a prediction for several clusters.
type fleetPreflight struct {
	preflightFlags
	fleetOptions
	results []fleetResult[prediction]
}

// runFleet predicts in several clusters.
func (f preflightFlags) runFleet(ctx context.Context, p Program, flags *genericclioptions.ConfigFlags, args []string) error {
	if err := f.check(args); err != nil {
		return err
	}
	if f.from.path != "" {
		return errDumpOfFleet
	}
	h := fleetPreflight{preflightFlags: f}
	var err error
	if h.fleetOptions, err = f.fleet.options(p, flags, f.allNamespaces); err != nil {
		return err
	}
	var input []byte // which can be read once
	if slices.Contains(f.files.Filenames, "-") {
		if input, err = io.ReadAll(p.Streams.In); err != nil {
			return fmt.Errorf("reading the manifests: %w", err)
		}
	}
	h.results, err = readFleet(ctx, h.fleetOptions, 0, func(ctx context.Context, p Program, c fleetCluster) (prediction, error) {
		if input != nil {
			p.Streams.In = bytes.NewReader(input)
		}
		o := &preflightOptions{&explainOptions{explainFlags: f.explainFlags, program: p, args: args}}
		var err error
		if o.source, o.namespace, err = p.openSource(c.flags()); err != nil {
			return prediction{}, err
		}
		if f.allNamespaces {
			o.namespace = ""
		}
		return o.predict(ctx)
	})
	if err != nil {
		return err
	}
	printMessages(h.program, h.results)
	finish := h.outputFile.redirect(&h.program)
	if err := h.print(); err != nil {
		return err
	}
	return withOutputFile(preflightExit(h.outcome()), finish)
}

// outcome is the worst of all clusters.
func (h *fleetPreflight) outcome() preflight.Outcome {
	worst := []preflight.Outcome{preflight.GetsStuck, preflight.OthersGetStuck, preflight.Unknown}
	if i := slices.IndexFunc(worst, func(o preflight.Outcome) bool {
		return h.count(o) > 0 || o == preflight.Unknown && unread(h.results) > 0
	}); i >= 0 {
		return worst[i]
	}
	return preflight.GoesThrough
}

// count is how many clusters have an outcome.
func (h *fleetPreflight) count(outcome preflight.Outcome) (n int) {
	for _, r := range h.results {
		if r.err == nil && r.value.Outcome == outcome {
			n++
		}
	}
	return n
}

func (h *fleetPreflight) print() error {
	out := h.program.Streams.Out
	switch {
	case isReport(h.output.chosen):
		return printReport(out, h.output.chosen, h.report())
	case h.output.chosen != "":
		var items []report.PreflightReport
		for _, r := range h.results {
			if r.err == nil {
				item := report.NewPreflightReport(r.value.Result)
				item.Cluster = r.name()
				items = append(items, item)
			}
		}
		document := report.NewPreflightReportList(documents(h.results), items)
		return h.output.printDocument(&document, out)
	}
	return h.printText()
}

// printText prints a row for each cluster, then each prediction.
func (h *fleetPreflight) printText() error {
	out := h.program.Streams.Out
	var predictions []*preflight.Result
	for i := range h.results {
		if h.results[i].err != nil {
			predictions = append(predictions, nil)
			continue
		}
		predictions = append(predictions, &h.results[i].value.Result)
	}
	table := report.TableWriter{Columns: report.ColumnWriter{Gap: columnGap}}
	if err := table.Write(out, report.FleetPreflightTable(documents(h.results), predictions)); err != nil {
		return err
	}
	for _, r := range h.results {
		if r.err != nil || len(r.value.Selected) == 0 && len(r.value.Gaps) == 0 {
			continue
		}
		err := r.printSection(h.program, func(p Program) error {
			return (&preflightOptions{&explainOptions{explainFlags: h.explainFlags, program: p}}).print(r.value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// report is the report of all clusters.
func (h *fleetPreflight) report() report.Report {
	var parts []report.ClusterReport
	for _, r := range h.results {
		if r.err != nil {
			parts = append(parts, r.unreadReport("preflight"))
			continue
		}
		parts = append(parts, report.ClusterReport{Cluster: r.name(), Report: report.NewPreflightSummary(r.value.Result)})
	}
	headline := fmt.Sprintf("The deletion would get stuck in %d of %s.", h.count(preflight.GetsStuck), stuck.Count(len(h.results), "cluster"))
	if others := h.count(preflight.OthersGetStuck); others > 0 {
		headline += fmt.Sprintf(" In %s, it would leave other objects without what they need to be deleted.", stuck.Count(others, "cluster"))
	}
	if unknown := h.count(preflight.Unknown); unknown > 0 {
		headline += fmt.Sprintf(" Whether it would in %s is not known.", stuck.Count(unknown, "cluster"))
	}
	return report.JoinReports(headline+unreadText(h.results), parts)
}
