package cmd

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// fleetHealth is a health check of several clusters.
type fleetHealth struct {
	healthFlags
	fleetOptions
	results []fleetResult[*stuck.Health]
}

// runFleet checks several clusters.
func (f healthFlags) runFleet(ctx context.Context, p Program, flags *genericclioptions.ConfigFlags, args []string) error {
	if err := f.check(*flags.Namespace); err != nil {
		return err
	}
	if f.watch {
		return errors.New("--watch checks one cluster: select it with --context")
	}
	h := fleetHealth{healthFlags: f}
	var err error
	if h.fleetOptions, err = f.fleet.options(p, flags, true); err != nil {
		return err
	}
	h.atOnce = maxWholeClustersAtOnce
	h.results, err = readFleet(ctx, h.fleetOptions, f.duration, func(ctx context.Context, p Program, c fleetCluster) (*stuck.Health, error) {
		o := &healthOptions{healthFlags: f, program: p, flags: c.flags(), args: args, namespace: *flags.Namespace}
		config, err := restConfig(c.flags())
		if err != nil {
			return nil, err
		}
		if o.server, err = live.Connect(config, p.Clock); err != nil {
			return nil, err
		}
		found, err := o.read(ctx)
		return &found, err
	})
	if err != nil {
		return err
	}
	printMessages(h.program, h.results)
	finish := h.outputFile.redirect(&h.program)
	if err := h.print(); err != nil {
		return err
	}
	return withOutputFile(h.exit(), finish)
}

// exit is the exit code, nil for 0.
func (h *fleetHealth) exit() error {
	incomplete := unread(h.results) > 0
	for _, r := range h.results {
		switch {
		case !h.exitCode || r.err != nil:
		case r.value.Worst() == stuck.Unhealthy:
			return exitStuck
		case r.value.Incomplete():
			incomplete = true
		}
	}
	if h.exitCode && incomplete {
		return exitIncomplete
	}
	return nil
}

func (h *fleetHealth) print() error {
	out := h.program.Streams.Out
	switch {
	case isReport(h.output.chosen):
		return printReport(out, h.output.chosen, h.report())
	case h.output.chosen != "" && h.output.chosen != "wide":
		var items []report.HealthReport
		for _, r := range h.results {
			if r.err == nil {
				item := report.NewHealthReport(*r.value)
				item.Cluster = r.name()
				items = append(items, item)
			}
		}
		document := report.NewHealthReportList(documents(h.results), items)
		return h.output.printDocument(&document, out)
	}
	return h.printText()
}

// printText prints a row for each cluster, then the reports of those with problems, or with -o wide all.
func (h *fleetHealth) printText() error {
	out := h.program.Streams.Out
	var found []*stuck.Health
	for _, r := range h.results {
		if r.err != nil {
			found = append(found, nil)
			continue
		}
		found = append(found, r.value)
	}
	table := report.TableWriter{Columns: report.ColumnWriter{Gap: columnGap}}
	if err := table.Write(out, report.FleetHealthTable(documents(h.results), found)); err != nil {
		return err
	}
	for _, r := range h.results {
		if r.err != nil || r.value.Worst() == stuck.Healthy && !r.value.Incomplete() && h.output.chosen == "" {
			continue
		}
		err := r.printSection(h.program, func(p Program) error {
			return (&healthOptions{healthFlags: h.healthFlags, program: p}).print(*r.value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// report is the report of all clusters.
func (h *fleetHealth) report() report.Report {
	var parts []report.ClusterReport
	unhealthy := 0
	for _, r := range h.results {
		if r.err != nil {
			parts = append(parts, r.unreadReport("health"))
			continue
		}
		if r.value.Worst() == stuck.Unhealthy {
			unhealthy++
		}
		parts = append(parts, report.ClusterReport{Cluster: r.name(), Report: report.NewHealthSummary(*r.value)})
	}
	headline := fmt.Sprintf("%d of %s have problems.", unhealthy, stuck.Count(len(h.results), "cluster"))
	return report.JoinReports(headline+unreadText(h.results), parts)
}
