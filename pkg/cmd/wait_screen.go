package cmd

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/wait"
)

const (
	// minLogPause is between two lines in a log while things move, and maxLogPause while
	// nothing does.
	minLogPause = 5 * time.Second
	maxLogPause = 30 * time.Second
)

// waitScreen prints what becomes of objects: at a terminal a line that changes, in a log lines,
// and with -o json documents.
type waitScreen struct {
	*waitOptions
	live *progress
	// state is what was printed last, and printed is when.
	state   string
	printed time.Time
	gaps    map[stuck.Gap]bool
	last    stuck.Progress
	gone    []stuck.Object
}

func newWaitScreen(o *waitOptions) *waitScreen {
	return &waitScreen{waitOptions: o, live: newProgress(o.program.terminal), gaps: map[stuck.Gap]bool{}}
}

// deleted prints that an object is deleted, in the words of kubectl wait.
func (s *waitScreen) deleted(o stuck.Object) error {
	s.live.done()
	s.gone = append(s.gone, o)
	switch {
	case isReport(s.output.chosen): // at the end
		return nil
	case s.output.chosen == "json":
		return s.printEvent(report.WaitDeleted, &o, s.last)
	}
	var text strings.Builder
	metadata := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: o.Name, Namespace: o.Namespace}}
	metadata.SetGroupVersionKind(o.Type.GVK())
	if err := (&printers.NamePrinter{Operation: "condition met"}).PrintObj(metadata, &text); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.program.Streams.Out, stuck.EscapeLine(strings.TrimSuffix(text.String(), "\n")))
	return err
}

// progress prints what is left.
func (s *waitScreen) progress(p stuck.Progress) error {
	s.printGaps(p.Gaps)
	s.last = p
	now, state := s.source.Now(), report.WaitState(p)
	if s.live.terminal() && s.output.chosen != "json" {
		s.live.line(state, report.WaitPause(p, now))
		return nil
	}
	since := s.program.Clock().Sub(s.printed)
	if since < minLogPause || state == s.state && since < maxLogPause {
		return nil
	}
	s.state, s.printed = state, s.program.Clock()
	if s.output.chosen == "json" {
		return s.printEvent(report.WaitProgress, nil, p)
	}
	fmt.Fprintln(s.program.Streams.ErrOut, waitLine(state, report.WaitPause(p, now)))
	return nil
}

func waitLine(state, pause string) string {
	if pause == "" {
		return state
	}
	return state + "; " + pause
}

// printGaps prints what cannot be watched or read, each once.
func (s *waitScreen) printGaps(gaps []stuck.Gap) {
	var fresh []stuck.Gap
	for _, gap := range gaps {
		if !s.gaps[gap] {
			s.gaps[gap] = true
			fresh = append(fresh, gap)
		}
	}
	for _, line := range report.GapLines(fresh) {
		s.live.done()
		fmt.Fprintln(s.program.Streams.ErrOut, oneLine(line))
	}
}

// ended prints why the wait has ended.
func (s *waitScreen) ended(outcome wait.Outcome, p stuck.Progress) error {
	event := report.WaitTimedOut
	if outcome == wait.Stalled {
		event = report.WaitStalled
	}
	if s.output.chosen == "json" {
		return s.printEvent(event, nil, p)
	}
	s.printGaps(p.Gaps)
	for _, line := range s.endLines(outcome, p) {
		fmt.Fprintln(s.program.Streams.ErrOut, line)
	}
	return nil
}

// endLines say what is left of the objects. That the time is over, they say as kubectl wait does.
func (s *waitScreen) endLines(outcome wait.Outcome, p stuck.Progress) []string {
	var names []string
	for _, o := range p.Remaining {
		names = append(names, stuck.EscapeLine(o.Type.Resource+"/"+o.Name))
	}
	if outcome == wait.TimedOut {
		return []string{"error: timed out waiting for the condition on " + stuck.JoinFirst(names, stuck.MaxUngrouped)}
	}
	return []string{report.WaitState(p), "error: nothing has moved for " + s.stall.String() + " on " + stuck.JoinFirst(names, stuck.MaxUngrouped)}
}

func (s *waitScreen) printEvent(event report.WaitEventType, o *stuck.Object, p stuck.Progress) error {
	return json.NewEncoder(s.program.Streams.Out).Encode(report.NewWaitEvent(event, o, p, s.source.Now()))
}

// report prints what was deleted and what is left, if a report was asked for.
func (s *waitScreen) report(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap) error {
	if !isReport(s.output.chosen) {
		return nil
	}
	return printReport(s.program.Streams.Out, s.output.chosen, report.NewWaitReport(diagnoses, s.gone, gaps, s.source.Now()))
}
