package stuck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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

// Kubectlf is Shellf for a kubectl command in a namespace, unless that is empty.
func Kubectlf(namespace, template string, args ...any) string {
	if namespace == "" {
		return Shellf("kubectl "+template, args...)
	}
	return Shellf("kubectl -n %s "+template, append([]any{namespace}, args...)...)
}

// Shellf is a command line for a POSIX shell. What stands for the verbs %s, %d
// and %v of the template is quoted wherever it needs it, inside of single quotes
// too; a []string becomes several words. The verb %q is a JSON string, for the
// bodies of patches. A word that begins with a dash and was not written as a
// flag is put behind "--", so that no name is taken for a flag.
func Shellf(template string, args ...any) string {
	b := &shellBuilder{args: args}
	for i := 0; i < len(template); i++ {
		if template[i] == '%' && i+1 < len(template) {
			i++
			b.verb(template[i])
			continue
		}
		b.literal(template[i])
	}
	return b.line()
}

// FillCommand is a command line of the catalog with values in the place of its
// {placeholders}, quoted as those of Shellf are. What has no value stays as it
// is, and so does all of a command with a substitution or a here-document: a
// value cannot be quoted for certain there.
func FillCommand(template string, values map[string]string) string {
	for _, sign := range []string{"$(", "`", "<<"} {
		if strings.Contains(template, sign) {
			return template
		}
	}
	b := &shellBuilder{}
	for i := 0; i < len(template); i++ {
		if name, _, closed := strings.Cut(template[i+1:], "}"); template[i] == '{' && closed && values[name] != "" {
			b.argument(values[name])
			i += len(name) + 1
			continue
		}
		b.literal(template[i])
	}
	return b.line()
}

// shellBuilder puts a command line together word by word.
type shellBuilder struct {
	args  []any
	words []string
	word  strings.Builder
	// quote is the sign that opened the quotes around the next byte, 0 outside of
	// quotes, and escaped says that a backslash stands before it.
	quote   byte
	escaped bool
	// isName says that the word began with an argument that begins with a dash.
	isName bool
	// names are the words of the command that go behind "--".
	names []string
}

// literal takes a byte of the template.
func (b *shellBuilder) literal(c byte) {
	switch {
	case b.escaped:
		b.escaped = false
	case c == '\\' && b.quote != '\'':
		b.escaped = true
	case c == b.quote:
		b.quote = 0
	case b.quote == 0 && (c == '\'' || c == '"'):
		b.quote = c
	case b.quote == 0 && c == ' ':
		b.endWord()
		return
	}
	b.word.WriteByte(c)
}

// line is the whole command line, once the template has come to its end.
func (b *shellBuilder) line() string {
	b.endWord()
	b.endCommand()
	return strings.Join(b.words, " ")
}

func (b *shellBuilder) verb(verb byte) {
	if verb == '%' {
		b.word.WriteByte('%')
		return
	}
	if len(b.args) == 0 {
		b.word.WriteString("%!" + string(verb) + "(MISSING)")
		return
	}
	arg := b.args[0]
	b.args = b.args[1:]
	if words, ok := arg.([]string); ok {
		for i, word := range words {
			if i > 0 {
				b.endWord()
			}
			b.argument(word)
		}
		return
	}
	if verb == 'q' {
		text, err := json.Marshal(fmt.Sprint(arg))
		if err != nil {
			text = []byte(`""`) // a string always marshals
		}
		b.argument(string(text))
		return
	}
	b.argument(fmt.Sprint(arg))
}

func (b *shellBuilder) argument(text string) {
	switch quoted := ShellQuote(text); {
	case b.quote == '\'':
		b.word.WriteString(strings.ReplaceAll(text, "'", `'\''`))
		return
	case b.quote == '"' && quoted != text:
		b.word.WriteString(`"` + quoted + `"`)
		return
	}
	b.isName = b.isName || b.word.Len() == 0 && strings.HasPrefix(text, "-") && !b.afterFlag()
	b.word.WriteString(ShellQuote(text))
}

// afterFlag reports whether the word is the value of a flag, or the file of a
// redirection: these may begin with a dash.
func (b *shellBuilder) afterFlag() bool {
	return len(b.words) > 0 && slices.Contains([]string{"-n", "-l", "-o", "-p", "-f", "--search", "--type", ">"}, b.words[len(b.words)-1])
}

func (b *shellBuilder) endWord() {
	word, isName := b.word.String(), b.isName
	b.word.Reset()
	b.isName = false
	switch {
	case word == "":
		return
	case isName:
		b.names = append(b.names, word)
		return
	}
	if slices.Contains([]string{"|", "&&", ">", ";"}, word) {
		b.endCommand()
	}
	b.words = append(b.words, word)
}

func (b *shellBuilder) endCommand() {
	if len(b.names) > 0 {
		b.words = append(append(b.words, "--"), b.names...)
		b.names = nil
	}
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
