package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Screen passes text on and takes the teeth out of it: control characters and
// those that turn the direction of text, which a message in a cluster could
// use to rewrite what stands on a terminal, are written out by number.
func Screen(out io.Writer) io.Writer { return screen{out} }

type screen struct{ out io.Writer }

// Write reports the length of what it was given, as writers must.
func (s screen) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.out, clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func clean(text string) string {
	if strings.IndexFunc(text, unsafeRune) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unsafeRune(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unsafeRune holds for control characters, but for the ends of lines, and for
// characters of format (Unicode category Cf).
func unsafeRune(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
}
