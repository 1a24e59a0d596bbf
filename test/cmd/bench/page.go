package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// The figures stand between two lines of the page; what is around them is written by hand.
const (
	figuresBegin = "<!-- figures: make bench -->"
	figuresEnd   = "<!-- end of figures -->"
)

// writePage prints the figures, and puts them into the page.
func (b *bench) writePage(found figures) error {
	text := b.tables(found)
	b.printf("\n%s", text)
	if b.page == "" {
		return nil
	}
	page, err := os.ReadFile(b.page)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	before, rest, ok := strings.Cut(string(page), figuresBegin)
	_, after, closed := strings.Cut(rest, figuresEnd)
	if !ok || !closed {
		return fmt.Errorf("%s has no place for figures", b.page)
	}
	return os.WriteFile(b.page, []byte(before+figuresBegin+"\n"+text+"\n"+figuresEnd+after), 0o644)
}

func (b *bench) tables(found figures) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Measured on %s, %d cores, %s/%s, Kubernetes %s, %d objects, %d custom types, medians of %d rounds.\n",
		time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, plane.Version(), b.objects, b.crds, b.rounds)
	if model := processor(); model != "" {
		fmt.Fprintf(&out, "The processor is an %s.\n", model)
	}
	if len(found.table) > 0 {
		writeTable(&out, found.table)
	}
	if len(found.growth) > 1 || len(found.table) == 0 {
		writeGrowth(&out, found.growth)
	}
	if len(found.single) > 0 {
		writeSingles(&out, found.single)
	}
	return strings.TrimRight(out.String(), "\n")
}

func writeTable(out *strings.Builder, table []measurement) {
	fmt.Fprint(out, "\n| way | time | of the wire's | its own CPU | peak memory | requests | server: list bytes | server: CPU | server: allocated | server: memory grew by |\n|---|---|---|---|---|---|---|---|---|---|\n")
	wire := table[0].medianWall()
	for _, t := range table {
		fmt.Fprintf(out, "| %s | %s | %.2f | %s | %s | %d | %s | %.2f s | %s | %s |\n",
			t.name, seconds(t.medianWall()), t.medianWall()/wire,
			seconds(median(t.runs, func(s sample) float64 { return s.cpu.Seconds() })),
			mib(float64(median(t.runs, func(s sample) int64 { return s.rss }))), t.requests,
			mib(median(t.server, func(s serverMetrics) float64 { return s.sent })),
			median(t.server, func(s serverMetrics) float64 { return s.cpu }),
			mib(median(t.server, func(s serverMetrics) float64 { return s.allocated })),
			mib(median(t.server, func(s serverMetrics) float64 { return s.resident })))
	}
}

func writeGrowth(out *strings.Builder, growth map[int][]measurement) {
	fmt.Fprint(out, "\n| objects | list bytes | the wire | `list -A -o name` | of the wire's | peak memory |\n|---|---|---|---|---|---|\n")
	for _, size := range slices.Sorted(maps.Keys(growth)) {
		wire, ours := growth[size][0], growth[size][1]
		fmt.Fprintf(out, "| %d | %s | %s | %s | %.2f | %s |\n", size,
			mib(median(ours.server, func(s serverMetrics) float64 { return s.sent })), seconds(wire.medianWall()), seconds(ours.medianWall()),
			ours.medianWall()/wire.medianWall(), mib(float64(median(ours.runs, func(s sample) int64 { return s.rss }))))
	}
}

func writeSingles(out *strings.Builder, single map[string][]sample) {
	fmt.Fprint(out, "\n| command | time | peak memory |\n|---|---|---|\n")
	for _, name := range []string{explainNamespace, explainPod, listNamespace, help, ownVersion, catalogue, kubectlVersion} {
		runs := single[name]
		fmt.Fprintf(out, "| %s | %s | %s |\n", name, seconds(median(runs, func(s sample) float64 { return s.wall.Seconds() })),
			mib(float64(median(runs, func(s sample) int64 { return s.rss }))))
	}
	first := median(single[atTerminal], func(s sample) float64 { return s.first.Seconds() })
	fmt.Fprintf(out, "\nAt a terminal `list -A` says after %s that something is being deleted, and counts on from there.\n", seconds(first))
}

func seconds(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.0f ms", s*1000)
	}
	return fmt.Sprintf("%.2f s", s)
}

func mib(bytes float64) string { return fmt.Sprintf("%.0f MiB", bytes/(1<<20)) }

// processor is the model of the machine's processor, where the system says it.
func processor() string {
	content, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(content)) {
		if name, model, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return ""
}
