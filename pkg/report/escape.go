package report

import (
	"io"
	"slices"
	"unicode/utf8"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// EscapeWriter passes text on and makes it harmless: control characters and
// others that deceive a reader (see stuck.IsUnsafe), which a message in a cluster could
// use to rewrite what stands on a terminal, are written out by number.
func EscapeWriter(out io.Writer) io.Writer { return &escapeWriter{out: out} }

type escapeWriter struct {
	out io.Writer
	// pending is the beginning of a character whose end is still to be written.
	pending []byte
}

// Write reports the length of what it was given, as writers must.
func (s *escapeWriter) Write(p []byte) (int, error) {
	text := slices.Concat(s.pending, p)
	complete := len(text) - incompleteSuffix(text)
	if _, err := io.WriteString(s.out, stuck.EscapeText(string(text[:complete]))); err != nil {
		return 0, err
	}
	s.pending = text[complete:]
	return len(p), nil
}

// incompleteSuffix is how many bytes at the end of a text are the beginning of a
// character.
func incompleteSuffix(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
