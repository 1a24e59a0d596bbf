package report

import (
	"regexp"
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
	p.text.WriteString(wrapProse(prefix, max(indent, displayWidth(prefix)), text, proseWidth(p.width)))
}

// namespaceFlag is "-n NAMESPACE", which belongs on one line.
var namespaceFlag = regexp.MustCompile(`-n (\S)`)

// noBreakSpace is a blank at which no line is broken.
const noBreakSpace = "\u00a0"

// wrapProse is a text in lines of a width, which only a longer word exceeds. The first
// line stands behind a prefix, the others are indented by a number of blanks.
func wrapProse(prefix string, indent int, text string, width int) string {
	text = namespaceFlag.ReplaceAllString(stuck.EscapeLine(text), "-n"+noBreakSpace+"$1")
	first, rest := wrapFirst(text, width-displayWidth(prefix))
	var out strings.Builder
	out.WriteString(prefix + first + "\n")
	for rest != "" {
		first, rest = wrapFirst(rest, width-indent)
		out.WriteString(strings.Repeat(" ", indent) + first + "\n")
	}
	return strings.ReplaceAll(out.String(), noBreakSpace, " ")
}

// wrapFirst is the first line of a text when it is wrapped, and what comes behind it. No more of the text is wrapped than the
// words that begin in that line.
func wrapFirst(text string, columns int) (first, rest string) {
	columns = max(columns, minWidth/2)
	head, runes := text, 0
	for i, r := range text {
		if runes++; runes > columns+1 && r == ' ' {
			head = text[:i]
			break
		}
	}
	first, _, _ = strings.Cut(wordwrap.WrapString(head, uint(columns)), "\n")
	return strings.TrimRight(first, " "), strings.TrimLeft(text[len(first):], " ")
}

// command writes a command on a line of its own, which is never wrapped, so that it can be pasted.
func (p *textWriter) command(command string) {
	if command != "" {
		p.line("  %s", command)
	}
}
