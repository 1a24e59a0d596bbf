package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeWriter passes text on and takes the teeth out of it: control characters and
// those that turn the direction of text, which a message in a cluster could
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
	if _, err := io.WriteString(s.out, escape(string(text[:complete]))); err != nil {
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

func escape(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, isUnsafe) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			// Not UTF-8, which some terminals take for a control character.
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case isUnsafe(r):
			// As JSON would write it: a document is the same document still.
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, "\\u%04x", unit)
			}
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

// isUnsafe holds for control characters, but for the ends of lines, and for
// characters of format (Unicode category Cf).
func isUnsafe(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}
