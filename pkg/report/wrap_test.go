package report_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Prose is as wide as the terminal, within limits; a command is never wrapped, and no word of a text is lost.
func TestProseIsWrapped(t *testing.T) {
	d := stuckWidget("w1")
	evidence := strings.Repeat("one word after another ", 20) + strings.Repeat("x", 150)
	command := "kubectl patch widget w1 -p '" + strings.Repeat("{} ", 60) + "'"
	d.Findings[0].Evidence = []string{evidence}
	d.Findings[0].Steps = []stuck.Step{{Action: stuck.ActionChange, Description: "change it", Command: command}}
	for terminal, want := range map[int]int{0: 80, 20: 40, 60: 60, 90: 90, 300: 100} {
		text, widest := screenText(t, report.Screen{Root: d, Now: now, Width: terminal}), 0
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); !strings.Contains(line, "xxx") && line != "  "+command {
				widest = max(widest, utf8.RuneCountInString(line))
			}
		}
		if widest > want || widest < want-20 {
			t.Errorf("on a terminal of %d columns it takes %d, not %d:\n%s", terminal, widest, want, text)
		}
		if !strings.Contains(text, "\n  "+command+"\n") || !strings.Contains(strings.Join(strings.Fields(text), " "), evidence) {
			t.Errorf("on a terminal of %d columns something is lost:\n%s", terminal, text)
		}
	}
}
