package apitext

import "strings"

// Quotes reports whether a text mentions a name as a whole word: "creds" in `secrets "creds" not found`, not in
// "creds-2".
func Quotes(text, name string) bool {
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !isNameByte(text[start-1])) && (end == len(text) || !isNameByte(text[end]) || isSentenceEnd(text[end:])) {
			return true
		}
		from = end
	}
	return false
}

// isNameByte reports whether a character may be part of the name of an object.
func isNameByte(c byte) bool {
	return c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isSentenceEnd reports whether a dot ends a sentence rather than a part of a name.
func isSentenceEnd(rest string) bool { return rest == "." || strings.HasPrefix(rest, ". ") }
