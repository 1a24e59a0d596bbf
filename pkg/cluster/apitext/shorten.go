package apitext

import (
	"strings"
)

// maxQuoteLength is how much of a message is quoted.
const maxQuoteLength = 200

// Shorten is the beginning of a message, in one line.
func Shorten(message string) string {
	text := strings.Join(strings.Fields(message), " ")
	if runes := []rune(text); len(runes) > maxQuoteLength {
		return string(runes[:maxQuoteLength]) + "..."
	}
	return text
}
