package diagnose_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestBlindness hides from each story what it was read from: each answer by
// itself, all answers of a type, and all answers there are. Whoever sees less must
// not claim more: no new proof, no new advice and no new permission to remove may
// appear.
func TestBlindness(t *testing.T) {
	for _, story := range stories(t) {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			source := source(t, story)
			all := claimsOf(diagnoseStory(t, story, source, nil))
			for name, hide := range hidingFilters(questions(t, story, source)) {
				blind := claimsOf(diagnoseStory(t, story, source, hide))
				for what := range blind {
					if !all[what] {
						t.Errorf("without %q: %s", name, what)
					}
				}
			}
		})
	}
}

// questions are what is asked to diagnose a story.
func questions(t *testing.T, story recording.Scenario, source *recording.Source) []string {
	t.Helper()
	var mu sync.Mutex
	asked := map[string]bool{}
	diagnoseStory(t, story, source, func(question string) bool {
		mu.Lock()
		defer mu.Unlock()
		asked[question] = true
		return false
	})
	return slices.Sorted(maps.Keys(asked))
}

func hidingFilters(questions []string) map[string]func(string) bool {
	out := map[string]func(string) bool{"any answer": func(string) bool { return true }}
	for _, q := range questions {
		out[q] = func(question string) bool { return question == q }
		typ := questionType(q)
		out["any answer about "+typ] = func(question string) bool { return questionType(question) == typ }
	}
	return out
}

// questionType is the type that a question is about: "get pods/web in shop".
func questionType(question string) string {
	words := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(question, "metadata of "), "may patch "))
	word := words[0]
	if len(words) > 1 && (word == "get" || word == "list" || word == "scan" || word == "probe") {
		word = words[1]
	}
	typ, _, _ := strings.Cut(word, "/")
	return typ
}

// claimsOf are the things a diagnosis says that somebody could act on. A controller that is absent may
// be named for one object of a chain where all is seen, and for another where what else holds
// that one is hidden: to reinstall the controller helps both, and to look harms neither. A controller that retries and fails is
// left out where another cause says why: to look, and to fix what its error reports, is right with less in view too.
func claimsOf(root *stuck.Diagnosis) map[string]bool {
	claims := map[string]bool{}
	for _, d := range root.All() {
		ref := d.Object.Namespace + " " + d.Object.Ref()
		// As list would say of each, whatever the whole comes to.
		if d.Conclude() == stuck.ControllerGone {
			claims[ref+" is orphaned"] = true
		}
		for _, f := range d.Findings {
			if f.Certainty == stuck.Confirmed {
				claims[ref+" is proven to be stuck by "+f.Cause] = true
			}
			for _, step := range f.Steps {
				if len(f.Errors) > 0 && (step.Action == stuck.ActionCheck || step.Action == stuck.ActionChange) {
					continue
				}
				if isAbsent := slices.Contains(diagnose.ControllerAbsentCauses, f.Cause); !isAbsent {
					claims[ref+" is helped by "+step.Description+": "+step.Command] = true
				} else if step.Action != stuck.ActionCheck {
					claims["it helps to "+step.Description+": "+step.Command] = true
				}
			}
		}
	}
	return claims
}
