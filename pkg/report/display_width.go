package report

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// displayWidth is how many columns of a terminal a text takes: none for a combining
// character, two for a wide one.
func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch kind := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// exceeds reports whether a text takes more than some columns. It reads no more of the text than that.
func exceeds(text string, columns int) bool {
	for _, r := range text {
		if columns -= runeWidth(r); columns < 0 {
			return true
		}
	}
	return false
}

// padRight fills a text up with blanks to a number of columns.
func padRight(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-displayWidth(text)))
}

// Cut is a text that takes no more than some columns, with dots where it was cut.
func Cut(text string, columns int) string {
	const dots = "..."
	if displayWidth(text) <= columns {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && displayWidth(string(runes))+len(dots) > columns {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + dots
}
