package removal

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Outcome is how a step ended.
type Outcome string

// The outcomes.
const (
	// Done means that the finalizers are removed, and that this was verified.
	Done Outcome = "Done"
	// Gone means that the object was deleted, or its finalizers removed, before the write.
	Gone Outcome = "Gone"
	// Refused means that something changed since the plan was shown.
	Refused Outcome = "Refused"
	// Failed means that the API server, or the disk, did not do it.
	Failed Outcome = "Failed"
	// NotAttempted means that nothing was sent.
	NotAttempted Outcome = "NotAttempted"
)

// Words are the outcome within a sentence.
func (o Outcome) Words() string {
	if o == NotAttempted {
		return "not attempted"
	}
	return strings.ToLower(string(o))
}

// Result is the end of one step.
type Result struct {
	Step    Step
	Outcome Outcome
	// Message is what was seen of the object, or why the step did not succeed.
	Message string
	// Saved is the saved copy, empty if nothing was written.
	Saved BackupFile

	// sent says that a write was sent, whatever came of it, and written that one was done, or may have been.
	sent, written bool
}

func (r *Result) finish(outcome Outcome, message string) { r.Outcome, r.Message = outcome, message }

// finishWithoutWrite ends the step of an object that needs no write any more: after a write that
// may have been done, that did it, whatever was answered; a write that was rejected did not.
func (r *Result) finishWithoutWrite(message string) {
	if r.written {
		r.finish(Done, message)
		return
	}
	r.finish(Gone, message+" before the write")
}

// succeeded reports whether nothing is left to do.
func (r *Result) succeeded() bool { return r.Outcome == Done || r.Outcome == Gone }

// Run does the steps of a plan.
type Run struct {
	Plan      Plan
	Source    cluster.Source
	Writer    *Writer
	Diagnoser *Diagnoser
	Backup    Backup
	Audit     *Audit
	FailFast  bool
	// Progress, where set, is called with the number of steps that have ended.
	Progress func(done, total int)

	results []Result
	// rechecked are the steps whose objects were diagnosed again, by their place in the plan.
	rechecked []atomic.Bool
}

// Apply does the steps, those first that others wait for, and those of one height side by side. One that
// fails does not stop the others unless that was asked for. The results come in
// the order of the plan.
func (r *Run) Apply(ctx context.Context) []Result {
	r.results, r.rechecked = make([]Result, len(r.Plan.Steps)), make([]atomic.Bool, len(r.Plan.Steps))
	levels := map[int][]int{}
	for i, step := range r.Plan.Steps {
		r.results[i] = Result{Step: step, Outcome: NotAttempted, Message: "interrupted"}
		levels[step.Height] = append(levels[step.Height], i)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := 0
	for _, height := range slices.Sorted(maps.Keys(levels)) {
		runQueue(ctx, levels[height], r.runStep, func(i int) {
			if r.FailFast && !r.results[i].succeeded() {
				stop()
			}
			if done++; r.Progress != nil {
				r.Progress(done, len(r.results))
			}
		})
	}
	return r.results
}

// nextObjects are up to n objects that are to be diagnosed again, and are not expected to change before. An
// object that was is written now, or is gone.
func (r *Run) nextObjects(n int) []stuck.Object {
	var out []stuck.Object
	for i, step := range r.Plan.Steps {
		if len(out) < n && !r.rechecked[i].Load() && !expectedToChange(step) {
			out = append(out, step.Object)
		}
	}
	return out
}

// CountOutcomes is how many steps ended in which way.
func CountOutcomes(results []Result) map[Outcome]int {
	count := map[Outcome]int{}
	for _, r := range results {
		count[r.Outcome]++
	}
	return count
}

// Report is what a run has done, and what has become of its targets.
type Report struct {
	Cluster Cluster
	// BackupDir is the folder with the saved copies.
	BackupDir string
	Results   []Result
	// Gone are the targets that were waited for and are gone, and Remaining those
	// that are still there.
	Gone      []stuck.Object
	Remaining []stuck.Object
	// Duration is how long the writes took, and the wait for the deletions.
	Duration time.Duration
}
