package cmd

import (
	"fmt"
	"io"
	"time"

	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// progress shows the progress of a survey in a line on a terminal. It is silent anywhere
// else.
type progress struct {
	out io.Writer
}

func newProgress(out io.Writer) *progress {
	if !term.IsTerminal(out) {
		return &progress{}
	}
	return &progress{out: out}
}

// terminal reports whether the line is on a terminal.
func (p *progress) terminal() bool { return p.out != nil }

// show shows how many types are read, and how many objects are found.
func (p *progress) show(done, total, deleting int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%d of %d types read, %d objects being deleted\x1b[K", done, total, deleting)
	}
}

// steps is show for the steps of a removal.
func (p *progress) steps(done, total int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%d of %d done\x1b[K", done, total)
	}
}

// checks is show for the checks of health, of which some watch for a time.
func (p *progress) checks(done, total int, left time.Duration) {
	if p.out == nil {
		return
	}
	text := fmt.Sprintf("%d of %d checks done", done, total)
	if left > 0 {
		text += fmt.Sprintf(", watching for %s more", left.Round(time.Second))
	}
	fmt.Fprintf(p.out, "\r%s\x1b[K", text)
}

// connected is show for the connections to several clusters.
func (p *progress) connected(done, total int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\rconnected to %d of %d clusters\x1b[K", done, total)
	}
}

// clusters is show for several clusters.
func (p *progress) clusters(done, total int) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%d of %d clusters read\x1b[K", done, total)
	}
}

// line shows a line of two parts, of which the first is cut if the terminal is too narrow.
func (p *progress) line(text, end string) {
	if p.out == nil {
		return
	}
	if end != "" {
		end = "; " + end
	}
	if width := terminalWidth(p.out); width > 0 {
		text = report.Cut(text, max(0, width-1-len(end)))
	}
	fmt.Fprintf(p.out, "\r%s%s\x1b[K", text, end)
}

// done clears the line.
func (p *progress) done() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
