package report

import (
	"bytes"
	"io"
	"regexp"
)

// ColorWriter passes text on, and colors the words in it that are verdicts, states or results where they fill a cell of a
// table. It comes after everything that lays text out, so colors move no column; and after EscapeWriter, so no text of a
// cluster colors anything else.
type ColorWriter struct {
	out io.Writer
	// Enabled says whether anything is colored at all.
	Enabled bool
	// pending is the beginning of a line whose end is still to be written.
	pending []byte
}

// NewColorWriter writes to out, without colors until it is enabled.
func NewColorWriter(out io.Writer) *ColorWriter { return &ColorWriter{out: out} }

// Write reports the length of what it was given, as writers must.
func (w *ColorWriter) Write(p []byte) (int, error) {
	if !w.Enabled {
		return w.out.Write(p)
	}
	w.pending = append(w.pending, p...)
	complete := bytes.LastIndexByte(w.pending, '\n') + 1
	if complete == 0 {
		return len(p), nil
	}
	if _, err := w.out.Write(colored(w.pending[:complete])); err != nil {
		return 0, err
	}
	w.pending = w.pending[complete:]
	return len(p), nil
}

// Flush writes what is left of a line that has no end.
func (w *ColorWriter) Flush() error {
	if len(w.pending) == 0 {
		return nil
	}
	_, err := w.out.Write(colored(w.pending))
	w.pending = nil
	return err
}

// What a terminal is told to change to a color, and back.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// colors are red for bad, yellow for uncertain and green for good.
func colors() map[string]string {
	return map[string]string{
		"Blocked": red, "ControllerGone": red, "Unknown": yellow, "Progressing": green,
		"PROBLEM": red, "WARNING": yellow, "INCOMPLETE": yellow, "UNREAD": yellow, "OK": green,
	}
}

// statusCell is a status word that is a whole cell: cells are two blanks apart at least.
var statusCell = regexp.MustCompile(`(?m)(^|  )(Blocked|ControllerGone|Unknown|Progressing|PROBLEM|WARNING|INCOMPLETE|UNREAD|OK)(  |$)`)

func colored(text []byte) []byte {
	colors := colors()
	return statusCell.ReplaceAllFunc(text, func(cell []byte) []byte {
		word := bytes.TrimSpace(cell)
		return bytes.Replace(cell, word, []byte(colors[string(word)]+string(word)+reset), 1)
	})
}
