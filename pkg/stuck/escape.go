package stuck

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeLine writes out by number every character of a text that could make more
// than one line or column of it, or of which a reader sees nothing. Every name,
// and every other text of a cluster that stands within a line, goes through it
// before it is printed: Kubernetes allows line breaks and tabs in some names.
func EscapeLine(text string) string {
	return escape(text, func(r rune) bool {
		return r == '\n' || r == '\t' || r != ' ' && unicode.Is(unicode.Zs, r) || IsUnsafe(r)
	})
}

// EscapeText is EscapeLine for a text of several lines: it leaves line breaks and tabs.
func EscapeText(text string) string { return escape(text, IsUnsafe) }

// IsUnsafe reports whether a character must not reach a terminal as it is: control
// characters but for line breaks and tabs, format characters (Unicode category
// Cf), line and paragraph separators, and what looks like a space or like nothing.
func IsUnsafe(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u00a0', '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0': // NBSP, Hangul fillers, the blank Braille pattern
		return true
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

func escape(text string, unsafe func(rune) bool) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, unsafe) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			// Not UTF-8, which some terminals take for a control character.
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case unsafe(r):
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
