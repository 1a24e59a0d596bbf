package report

import (
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteSummary prints what all runs have found.
func (l *HealthLog) WriteSummary(out io.Writer, now time.Time, width int) error {
	w := &healthWriter{width: width}
	w.line("")
	rows := [][]string{{"RESULT", "FIRST SEEN", "LAST SEEN", "RUNS", "NOW", "PROBLEM"}}
	for _, p := range l.order {
		rows = append(rows, []string{
			results[p.state], timestamp(p.first), timestamp(p.last), fmt.Sprintf("%d of %d", p.runs, l.runs-l.failed), l.stateNow(p),
			fmt.Sprintf("%s (%s)", p.message, p.key.check),
		})
	}
	text := fmt.Sprintf("Watched for %s: %s of the checks", duration.HumanDuration(now.Sub(l.started)), stuck.Count(l.runs, "run"))
	if l.failed > 0 {
		text += fmt.Sprintf(" (%d failed)", l.failed)
	}
	text += fmt.Sprintf(", %s, of which %d ended.", stuck.Count(len(l.order)+l.forgotten, "finding"), l.ended)
	if l.forgotten > 0 {
		text += fmt.Sprintf(" %d that ended are not shown.", l.forgotten)
	}
	if l.deletions > 0 {
		text += fmt.Sprintf(" Deleted meanwhile: %s, each in at most %s.", stuck.Count(l.deletions, "namespace"), roundedUp(l.longest))
	}
	w.prose("", "", text)
	if len(l.order) > 0 {
		w.table(rows)
	}
	_, err := io.WriteString(out, w.text.String())
	return err
}

// stateNow says whether a problem has ended, as far as the last run could read.
func (l *HealthLog) stateNow(p *problemHistory) string {
	switch {
	case !p.open:
		return "ended"
	case l.failure != "" || p.lastRun < l.lastRun:
		return "not known"
	}
	return "open"
}

// roundedUp is the text of a time that is not longer than that: HumanDuration leaves out the seconds
// from ten minutes on, the minutes from eight hours on, and the hours from eight days on.
func roundedUp(d time.Duration) string {
	const day = 24 * time.Hour
	unit := time.Second
	switch {
	case d >= 8*day:
		unit = day
	case d >= 8*time.Hour:
		unit = time.Hour
	case d >= 10*time.Minute:
		unit = time.Minute
	}
	return duration.HumanDuration((max(0, d) + unit - 1).Truncate(unit))
}
