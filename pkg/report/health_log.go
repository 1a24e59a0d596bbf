package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// HealthLog prints what changes between runs of the health checks, and in the end what was
// found in all of them.
type HealthLog struct {
	started      time.Time
	runs, failed int
	// failure is why the last run failed, empty where it did not.
	failure string
	// lastRun is the number of the last run that did not fail.
	lastRun    int
	incomplete map[string]bool
	problems   map[problemKey]*problemHistory
	// order are the problems as they were found.
	order []*problemHistory
	// ended is how many problems have ended, those included that are forgotten.
	ended, forgotten int
	// namespaces are those that were being deleted at last, deletions is how many were deleted
	// since, and longest how long one of those took at most.
	namespaces []stuck.Object
	deletions  int
	longest    time.Duration
}

// maxEndedProblems is how many problems are remembered that have ended: a log may run for weeks.
const maxEndedProblems = 500

// problemKey is what stays the same of a problem: its text may name times and counts. Of several
// problems of one kind and subject, number tells one from the other.
type problemKey struct {
	check, reason string
	subject       stuck.Culprit
	number        int
}

// problemHistory is a problem, and when it was found.
type problemHistory struct {
	key         problemKey
	state       stuck.State
	message     string
	blocks      int
	first, last time.Time
	// lastRun is the number of the run that found it last: the server's clock may go back.
	lastRun, runs int
	open          bool
	// complete says that its check was complete when it was found last, and gaps are the sources
	// that could not be read then.
	complete bool
	gaps     map[string]bool
}

// NewHealthLog begins with the first run of the checks, which is printed elsewhere.
func NewHealthLog(now time.Time, h stuck.Health) *HealthLog {
	l := &HealthLog{started: now, runs: 1, lastRun: 1, incomplete: map[string]bool{}, problems: map[problemKey]*problemHistory{}, namespaces: h.DeletingNamespaces}
	for _, c := range h.Checks {
		l.incomplete[c.Name] = c.Incomplete
		l.update(now, c, gapSources(h))
	}
	return l
}

// Write prints what a run of the checks found that the one before did not, or why it failed.
// What is not found any more has ended, unless not as much could be read as before.
func (l *HealthLog) Write(out io.Writer, now time.Time, h stuck.Health, failure string, width int) error {
	clock := now.UTC().Format(clockFormat) + "  "
	w := &healthWriter{width: width}
	l.runs++
	if failure != "" {
		l.failed++
	}
	switch {
	case failure != "" && failure != l.failure:
		w.prose(clock, "  ", "the checks failed: "+failure)
	case failure == "" && l.failure != "":
		w.prose(clock, "  ", "the checks run again")
	}
	if l.failure = failure; failure == "" {
		l.lastRun = l.runs
		gaps := gapSources(h)
		for _, c := range h.Checks {
			l.writeCheck(w, clock, now, c, gaps)
		}
		l.writeNamespaces(w, clock, now, h.DeletingNamespaces)
	}
	_, err := io.WriteString(out, w.text.String())
	return err
}

// writeCheck prints what has changed in one check.
func (l *HealthLog) writeCheck(w *healthWriter, clock string, now time.Time, c stuck.Check, gaps map[string]bool) {
	switch {
	case c.Incomplete && !l.incomplete[c.Name]:
		w.prose(clock, "  ", fmt.Sprintf("check %s is incomplete: %s", c.Name, c.Summary))
	case !c.Incomplete && l.incomplete[c.Name]:
		w.prose(clock, "  ", fmt.Sprintf("check %s is complete again", c.Name))
	}
	l.incomplete[c.Name] = c.Incomplete
	found, changed := l.update(now, c, gaps)
	l.writeProblems(w, clock+"new  ", c.Name, found)
	l.writeProblems(w, clock+"changed  ", c.Name, changed)
	for _, p := range l.end(c, gaps) {
		w.prose(clock+"ended  ", "  ", fmt.Sprintf("%s  %s (%s), first seen %s ago", results[p.state], p.message, c.Name, duration.HumanDuration(max(0, now.Sub(p.first)))))
	}
}

// writeNamespaces prints the namespaces that were deleted since the last run. How long that took is
// known to the time between two runs, and in no other way: what the namespace controller measures is
// in metrics of its own, and the Events of a namespace are deleted with it.
func (l *HealthLog) writeNamespaces(w *healthWriter, clock string, now time.Time, deleting []stuck.Object) {
	if deleting == nil {
		return
	}
	for _, o := range l.namespaces {
		if slices.ContainsFunc(deleting, func(other stuck.Object) bool { return other.UID == o.UID }) {
			continue
		}
		took := now.Sub(o.DeletionTime)
		l.deletions++
		l.longest = max(l.longest, took)
		w.prose(clock, "  ", fmt.Sprintf("%s was deleted, at most %s after the request", o.Ref(), roundedUp(took)))
	}
	l.namespaces = deleting
}

func (l *HealthLog) writeProblems(w *healthWriter, event, check string, problems []stuck.Problem) {
	w.event = event
	for _, state := range []stuck.State{stuck.Unhealthy, stuck.Warning} {
		for _, p := range problemsByImpact(stuck.Health{Checks: []stuck.Check{{Name: check, Problems: problems}}}, state) {
			w.problem(p)
		}
	}
	w.event = ""
}

// update notes the problems of a check, and returns those that are new, and those that have
// another state or block more or fewer deletions.
func (l *HealthLog) update(now time.Time, c stuck.Check, gaps map[string]bool) (found, changed []stuck.Problem) {
	numbers := map[problemKey]int{}
	for _, p := range c.Problems {
		key := problemKey{check: c.Name, reason: p.Reason, subject: p.Subject}
		numbers[key]++
		key.number = numbers[key]
		blocks := len(stuck.BlockedBy(p))
		known := l.problems[key]
		switch {
		case known == nil:
			known = &problemHistory{key: key, first: now}
			l.problems[key] = known
			l.order = append(l.order, known)
			found = append(found, p)
		case !known.open:
			l.ended--
			found = append(found, p)
		case known.state != p.State || known.blocks != blocks:
			changed = append(changed, p)
		}
		known.state, known.message, known.blocks = p.State, p.Message, blocks
		known.last, known.lastRun, known.open = now, l.runs, true
		known.complete, known.gaps = !c.Incomplete, gaps
		known.runs++
	}
	return found, changed
}

// end notes and returns the problems of a check that it did not find any more.
func (l *HealthLog) end(c stuck.Check, gaps map[string]bool) []*problemHistory {
	var ended []*problemHistory
	for _, p := range l.order {
		if p.key.check == c.Name && p.open && p.lastRun < l.runs && p.wouldBeFound(c, gaps) {
			p.open = false
			ended = append(ended, p)
		}
	}
	l.ended += len(ended)
	l.forgetEnded()
	return ended
}

// forgetEnded forgets those of too many ended problems that were found first.
func (l *HealthLog) forgetEnded() {
	closed := 0
	for _, p := range l.order {
		if !p.open {
			closed++
		}
	}
	l.order = slices.DeleteFunc(l.order, func(p *problemHistory) bool {
		if p.open || closed <= maxEndedProblems {
			return false
		}
		closed--
		l.forgotten++
		delete(l.problems, p.key)
		return true
	})
}

// wouldBeFound reports whether a run of its check, with what it could not read, would have found
// the problem: it read at least what was read when the problem was found last.
func (p *problemHistory) wouldBeFound(c stuck.Check, gaps map[string]bool) bool {
	if c.Inconclusive || c.Incomplete && p.complete {
		return false
	}
	for source := range gaps {
		if !p.gaps[source] {
			return false
		}
	}
	return true
}

// gapSources are the sources that a run could not read.
func gapSources(h stuck.Health) map[string]bool {
	sources := map[string]bool{}
	for _, gap := range h.Gaps {
		sources[gap.Source] = true
	}
	return sources
}
