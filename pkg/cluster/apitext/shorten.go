package apitext

// maxQuoteLength is how much of a message is quoted.
const maxQuoteLength = 200

// Shorten is the beginning of a message, in one line.
func Shorten(message string) string {
	return truncate(OneLine(message), maxQuoteLength)
}

// truncate is the text up to so many characters.
func truncate(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return string(runes[:length]) + "..."
	}
	return text
}
