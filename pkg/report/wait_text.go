package report

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WaitState is what is left, in a line that changes only when something has moved.
func WaitState(p stuck.Progress) string {
	parts := []string{"waiting for " + waitedText(p)}
	if left := talliesText(leftTallies(p)); left != "" {
		parts = append(parts, left+" left")
	}
	if finalizers := talliesText(p.Finalizers); finalizers != "" {
		parts = append(parts, "finalizers: "+finalizers)
	}
	return stuck.EscapeLine(strings.Join(parts, "; "))
}

// WaitPause is since when nothing has moved, or for how long nothing has to. It is empty while
// things move.
func WaitPause(p stuck.Progress, now time.Time) string {
	switch idle := now.Sub(p.LastMoved); {
	case !p.GraceEnd.IsZero():
		return "within the grace period for another " + duration.HumanDuration(p.GraceEnd.Sub(now))
	case idle >= time.Second:
		return "nothing has moved for " + duration.HumanDuration(idle)
	}
	return ""
}

// waitedText names the object that is waited for, or says how many of them are left.
func waitedText(p stuck.Progress) string {
	notDeleted := 0
	for _, o := range p.Remaining {
		if !o.Deleting() {
			notDeleted++
		}
	}
	switch {
	case p.Total == 1 && notDeleted == 1:
		return p.Remaining[0].RefInNamespace() + ", which is not being deleted yet"
	case p.Total == 1 && len(p.Remaining) == 1:
		return p.Remaining[0].RefInNamespace()
	}
	text := fmt.Sprintf("%d of %s", len(p.Remaining), stuck.Count(p.Total, "object"))
	if notDeleted > 0 {
		text += fmt.Sprintf(" (%d not being deleted yet)", notDeleted)
	}
	return text
}

// leftTallies count what is left by its type. One object that is waited for was named.
func leftTallies(p stuck.Progress) []stuck.Tally {
	var out []stuck.Tally
	if p.Total > 1 {
		for _, group := range stuck.GroupBy(p.Remaining, func(o stuck.Object) string { return o.Type.String() }) {
			out = append(out, stuck.TallyOf(group))
		}
	}
	return append(out, p.Content...)
}

// maxTallies is how many types and finalizers a line names.
const maxTallies = 3

func talliesText(tallies []stuck.Tally) string {
	var texts []string
	for _, tally := range tallies {
		texts = append(texts, tally.String())
	}
	return stuck.JoinFirst(texts, maxTallies)
}
