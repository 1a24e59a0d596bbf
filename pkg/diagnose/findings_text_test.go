package diagnose_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// kubectlVerb finds the verbs of the kubectl commands in a command line.
var kubectlVerb = regexp.MustCompile(`kubectl (?:-n \S+ )?(\S+(?: \S+)?)`)

// TestFindingsReadWell holds what a screen relies on: a message is a short clause that
// stands alone, evidence is a line, and the action of a step is what its command does.
func TestFindingsReadWell(t *testing.T) {
	for _, story := range stories(t) {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			for _, d := range diagnoseStory(t, story, source(t, story), nil).All() {
				for _, f := range d.Findings {
					for _, problem := range textProblems(f) {
						t.Errorf("%s: %s", f.Cause, problem)
					}
				}
			}
		})
	}
}

func textProblems(f stuck.Finding) []string {
	var out []string
	first, _, _ := strings.Cut(f.Message, " ")
	if first == "it" || first == "its" || strings.HasSuffix(f.Message, ".") {
		out = append(out, "the message is no clause that stands alone: "+f.Message)
	}
	// Names can be of any length.
	if words := strings.Replace(f.Message, f.BlockedBy.String(), "", 1); utf8.RuneCountInString(words) > 120 {
		out = append(out, "the message is too long: "+f.Message)
	}
	for _, line := range f.Evidence {
		// What follows a colon is quoted.
		words, _, _ := strings.Cut(line, ": ")
		if utf8.RuneCountInString(words) > 200 || strings.Contains(line, "\n") {
			out = append(out, "the evidence is too long: "+line)
		}
	}
	for _, s := range f.Steps {
		if !actionMatchesCommand(s) {
			out = append(out, string(s.Action)+" is not what the command does: "+s.Command)
		}
	}
	return out
}

// actionMatchesCommand reports whether the action of a step is what its command does: a
// check only reads, and a deletion deletes.
func actionMatchesCommand(s stuck.Step) bool {
	reads := true
	for _, m := range kubectlVerb.FindAllStringSubmatch(s.Command, -1) {
		reads = reads && isReading(append(strings.Fields(m[1]), ""))
	}
	switch s.Action {
	case stuck.ActionCheck:
		return reads || strings.HasSuffix(s.Command, " --dry-run=server") && !strings.Contains(s.Command, "&&")
	case stuck.ActionDelete:
		return strings.Contains(s.Command, "delete")
	}
	return s.Command == "" || !reads || !strings.Contains(s.Command, "kubectl")
}

func isReading(words []string) bool {
	switch words[0] {
	case "auth":
		return words[1] == "can-i"
	case "finalizers":
		return slices.Contains([]string{"list", "explain", "health"}, words[1])
	}
	return slices.Contains([]string{"get", "describe", "logs", "api-resources", "explain", "top"}, words[0])
}
