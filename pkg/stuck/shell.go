package stuck

import "strings"

// Command is a kubectl command as a person pastes it into a POSIX shell: in a
// namespace, unless that is empty, with every argument quoted that needs it. A
// plugin takes its flags after its own name, so the arguments of one say the
// namespace themselves: see Object.Args.
func Command(namespace string, args ...string) string {
	words := []string{"kubectl"}
	if namespace != "" {
		words = append(words, "-n", ShellQuote(namespace))
	}
	for _, arg := range args {
		words = append(words, ShellQuote(arg))
	}
	return strings.Join(words, " ")
}

// ShellQuote is a word as a POSIX shell takes it: as it is where all of it is
// harmless, otherwise in single quotes.
func ShellQuote(word string) string {
	if word != "" && strings.IndexFunc(word, needsQuotes) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func needsQuotes(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("@%+=:,./_-", r)
}
