package hostile

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Commands are commands that were printed, each with the affixes of the names in it. They can be added concurrently.
type Commands struct {
	mu  sync.Mutex
	all []string
	of  map[string]Affixes
}

// placeholder is what the reader of a command is to fill in: no shell takes it.
var placeholder = regexp.MustCompile(`<[a-z -]+>`)

// Add adds commands.
func (c *Commands) Add(of Affixes, commands ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]Affixes{}
	}
	for _, command := range commands {
		if _, known := c.of[command]; !known && !placeholder.MatchString(command) {
			c.of[command] = of
			c.all = append(c.all, command)
		}
	}
}

// AddDocument adds the commands in an output, if that is a JSON document.
func (c *Commands) AddDocument(of Affixes, out string) {
	var value any
	if json.Unmarshal([]byte(out), &value) == nil {
		c.Add(of, commandsIn(value)...)
	}
}

// commandsIn are the commands in a part of a document.
func commandsIn(value any) []string {
	var out []string
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			out = append(out, commandsIn(item)...)
		}
	case map[string]any:
		for field, item := range value {
			switch text, isText := item.(string); {
			case field == "command" && isText:
				out = append(out, text)
			case field == "commands":
				for _, command := range item.([]any) {
					out = append(out, fmt.Sprint(command))
				}
			default:
				out = append(out, commandsIn(item)...)
			}
		}
	}
	return out
}

// check says what is wrong with the words that a command has made of its names: with the arguments of programs, and with
// what one of them reads.
func (a Affixes) check(words []string) string {
	arrived := false
	for i, word := range words {
		rest := word
		for _, affix := range []string{a.before, a.behind} {
			for _, form := range []string{affix, inJSON(affix, true), inJSON(affix, false), strings.Join(strings.Fields(affix), " ")} {
				if form != "" {
					rest = strings.ReplaceAll(rest, form, "")
				}
			}
		}
		switch {
		case strings.Contains(rest, mark):
			return fmt.Sprintf("a name is broken in %q", word)
		case strings.HasPrefix(word, "--all=") && !slices.Contains(words[:i], "--") && (i == 0 || words[i-1] != "-n"):
			return fmt.Sprintf("%q is a flag", word)
		}
		arrived = arrived || strings.Contains(word, mark)
	}
	if !arrived {
		return "no argument has the name"
	}
	return ""
}

// inJSON is a text as it stands within a string of JSON.
func inJSON(text string, escapeHTML bool) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(escapeHTML)
	if err := encoder.Encode(text); err != nil {
		return text
	}
	return strings.Trim(strings.TrimSpace(b.String()), `"`)
}
