package report

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

// Sweep is what a sweep has done, or as a dry run would do.
type Sweep struct {
	Server, Context string
	DryRun          bool
	// Refusal is why nothing was deleted, empty if nothing speaks against it.
	Refusal string
	Items   []sweep.Item
	// Stuck says why objects are stuck that were to be deleted.
	Stuck []*stuck.Diagnosis
	Gaps  []stuck.Gap
}

// SweepReport is the document of a sweep.
type SweepReport struct {
	metav1.TypeMeta `json:",inline"`
	Server          string `json:"server"`
	Context         string `json:"context,omitempty"`
	// DryRun says that nothing was deleted.
	DryRun bool `json:"dryRun"`
	// Refusal is why nothing was deleted although it was not a dry run, or would be if it were not.
	Refusal string      `json:"refusal,omitempty"`
	Items   []SweepItem `json:"items"`
	// Stuck says why objects are stuck, and Causes are their root causes.
	Stuck  []StuckObject `json:"stuck"`
	Causes []ListedCause `json:"causes"`
	Gaps   []Gap         `json:"gaps"`
}

// SweepItem is an object that a sweep has looked at.
type SweepItem struct {
	ListedObject `json:",inline"`
	Action       sweep.Action `json:"action"`
	Reason       string       `json:"reason"`
	// Result is left out for what is kept, and after a dry run.
	Result  sweep.Result `json:"result,omitempty"`
	Message string       `json:"message,omitempty"`
	// Sweeps is how many sweeps in a row have left the object.
	Sweeps int `json:"sweeps,omitempty"`
}

// NewSweepReport is the document of a sweep.
func NewSweepReport(s Sweep) *SweepReport {
	out := &SweepReport{
		TypeMeta: metav1.TypeMeta{APIVersion: APIVersion, Kind: "SweepReport"}, Server: s.Server, Context: s.Context,
		DryRun: s.DryRun, Refusal: s.Refusal, Items: []SweepItem{}, Stuck: []StuckObject{}, Causes: listedCauses(s.Stuck), Gaps: newGaps(s.Gaps),
	}
	for _, i := range s.Items {
		out.Items = append(out.Items, SweepItem{
			ListedObject: newListedObject(i.Object), Action: i.Action, Reason: i.Reason, Result: i.Result, Message: i.Message, Sweeps: i.Sweeps,
		})
	}
	for _, d := range s.Stuck {
		out.Stuck = append(out.Stuck, newStuckObject(d))
	}
	return out
}

// Report is the report of a sweep for a pipeline or a ticket. What was to be deleted and still exists is a failure.
func (s Sweep) Report(now time.Time) Report {
	var deleted []stuck.Object
	gaps := slices.Clone(s.Gaps)
	for _, i := range s.Items {
		if i.Result == sweep.Deleted {
			deleted = append(deleted, i.Object)
		}
		if i.Unread {
			gaps = append(gaps, stuck.Gap{Source: i.Object.RefInNamespace(), Error: i.Reason})
		}
	}
	r := NewWaitReport(s.Stuck, deleted, gaps, now)
	r.Metrics = append([]Metric{s.metric()}, r.Metrics...)
	r.Command, r.Table, r.Headline = "sweep", s.Table(), s.Headline()
	for _, i := range s.Items {
		if i.Result != sweep.Held && i.Result != sweep.Failed {
			continue
		}
		r.Cases = append(r.Cases, Case{Group: i.Object.Namespace, Name: i.Object.Ref(), Result: CaseFailed, ID: notDeletedID, Message: i.Message})
		r.Issues = append(r.Issues, Issue{ID: notDeletedID, Message: i.Message, Affects: []string{i.Object.RefInNamespace()}})
	}
	if s.Refusal != "" {
		r.Cases = append(r.Cases, Case{Name: "limits", Result: CaseFailed, ID: "refused", Message: s.Refusal})
		r.Issues = append(r.Issues, Issue{ID: "refused", Message: s.Refusal})
	}
	return r
}

// metric counts the objects that were to be deleted.
func (s Sweep) metric() Metric {
	const refused sweep.Result = "Refused"
	count := map[sweep.Result]int{}
	for _, i := range s.Items {
		if s.Refusal != "" && i.Action == sweep.Delete {
			i.Result = refused
		}
		count[i.Result]++
	}
	m := Metric{Name: metricSweep, Help: "Objects that a sweep was to delete, by how it ended."}
	for _, result := range []sweep.Result{sweep.Deleted, sweep.Stuck, sweep.Held, sweep.Skipped, sweep.Failed, refused} {
		m.Samples = append(m.Samples, Sample{[]string{"result", string(result)}, float64(count[result])})
	}
	return m
}

// Headline counts the objects.
func (s Sweep) Headline() string {
	actions, results := map[sweep.Action]int{}, map[sweep.Result]int{}
	for _, i := range s.Items {
		actions[i.Action]++
		results[i.Result]++
	}
	switch {
	case len(s.Items) == actions[sweep.Keep]:
		return fmt.Sprintf("Nothing is to be deleted; %d kept.", actions[sweep.Keep])
	case s.DryRun || s.Refusal != "":
		return fmt.Sprintf("%s selected, %d being deleted already, %d kept; nothing was deleted.",
			CountVerb(actions[sweep.Delete], "object", "is", "are"), actions[sweep.Wait], actions[sweep.Keep])
	}
	return fmt.Sprintf("%d of %s deleted, %d stuck, %d held by these, %d failed, %d skipped.", results[sweep.Deleted],
		CountVerb(len(s.Items)-actions[sweep.Keep], "object", "is", "are"), results[sweep.Stuck], results[sweep.Held], results[sweep.Failed], results[sweep.Skipped])
}

// Table has a row for each object: what still exists comes first.
func (s Sweep) Table() *metav1.Table {
	table := &metav1.Table{ColumnDefinitions: columns(0, "Object", "Result", "Sweeps", "Reason")}
	if s.DryRun || s.Refusal != "" {
		table.ColumnDefinitions = columns(0, "Object", "Action", "Reason")
	}
	for _, left := range []bool{true, false} {
		for _, i := range s.Items {
			if i.Left() == left {
				table.Rows = append(table.Rows, metav1.TableRow{Cells: escapeCells(s.cells(i))})
			}
		}
	}
	return table
}

func (s Sweep) cells(i sweep.Item) []any {
	if s.DryRun || s.Refusal != "" {
		return []any{i.Object.RefInNamespace(), string(i.Action), i.Reason}
	}
	result, sweeps, reason := string(i.Result), noValue, i.Reason
	if i.Action == sweep.Keep {
		result = "Kept"
	}
	if i.Message != "" {
		reason = i.Message
	}
	if i.Sweeps > 0 {
		sweeps = fmt.Sprint(i.Sweeps)
	}
	for _, d := range s.Stuck {
		if d.Object.Key() == i.Object.Key() {
			reason = string(d.Verdict) + ": " + causeSummary(d)
		}
	}
	return []any{i.Object.RefInNamespace(), result, sweeps, reason}
}
