package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// leakWord is a leak as a file and a document spell it: in one word, external-resources.
type leakWord string

func leakWordOf(l stuck.Leak) leakWord { return leakWord(strings.ReplaceAll(string(l), " ", "-")) }

// knownLeakWords are the words that are allowed in a file: it must know what is left behind.
func knownLeakWords() []leakWord {
	return []leakWord{
		leakWordOf(stuck.LeakNothing), leakWordOf(stuck.LeakObjects), leakWordOf(stuck.LeakExternal), leakWordOf(stuck.LeakData),
	}
}

// leak is the leak that a file means, empty for a word that is not allowed.
func (w leakWord) leak() stuck.Leak {
	if !slices.Contains(knownLeakWords(), w) {
		return ""
	}
	return stuck.Leak(strings.ReplaceAll(string(w), "-", " "))
}

// MarshalJSON spells the leak as a file does.
func (e Entry) MarshalJSON() ([]byte, error) {
	type entry Entry // without this method
	spelled := entry(e)
	spelled.Leak = stuck.Leak(leakWordOf(e.Leak))
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // whoever asked for the document decides on that
	err := encoder.Encode(spelled)
	return out.Bytes(), err
}
