package report

import (
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The widths of prose: where that of the terminal is not known, and what is
// comfortable to read.
const (
	defaultWidth = 80
	minWidth     = 40
	maxWidth     = 100
)

// proseWidth is how wide prose is on a terminal, whose width is 0 where it is not known.
func proseWidth(terminal int) int {
	if terminal <= 0 {
		return defaultWidth
	}
	return min(max(terminal, minWidth), maxWidth)
}

// prose writes a text, wrapped. The first line stands behind a prefix, the others are
// indented by a number of blanks, or by as much as the prefix takes.
func (p *textWriter) prose(prefix string, indent int, text string) {
	first, rest := wrapFirst(stuck.EscapeLine(text), p.proseColumns(displayWidth(prefix)))
	p.text.WriteString(prefix + first + "\n")
	indent = max(indent, displayWidth(prefix))
	for rest != "" {
		first, rest = wrapFirst(rest, p.proseColumns(indent))
		p.text.WriteString(strings.Repeat(" ", indent) + first + "\n")
	}
}

// proseColumns is how many columns are left for prose behind an indent.
func (p *textWriter) proseColumns(indent int) int { return max(proseWidth(p.width)-indent, minWidth/2) }

// wrapFirst is the first line of a text when it is wrapped, and what comes behind it.
func wrapFirst(text string, columns int) (first, rest string) {
	first, _, _ = strings.Cut(wordwrap.WrapString(text, uint(columns)), "\n")
	return strings.TrimRight(first, " "), strings.TrimLeft(text[len(first):], " ")
}

// command writes a command on a line of its own, which is never wrapped, so that it can be pasted.
func (p *textWriter) command(command string) {
	if command != "" {
		p.line("  %s", command)
	}
}
