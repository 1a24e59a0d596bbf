package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// unrecordedPrefix begins the error of a question that the recording does not answer.
const unrecordedPrefix = "not in the recording: "

func (s *Source) unrecordedError(question string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unrecorded[question] = true
	return errors.New(unrecordedPrefix + question)
}

// Unrecorded are the questions so far that the recording does not answer.
func (s *Source) Unrecorded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.unrecorded))
}

// CheckUnrecorded fails if the recording lacks what the story is about. It is given what explain
// printed with -o json, and the questions that had no answer meanwhile. A cause that the story
// does not prove may ask them: to it they are gaps, and what the story proves still holds. No
// answer may be missing to a cause that the story proves, nor to what is no cause.
func (s Scenario) CheckUnrecorded(explainJSON string, questions []string) error {
	var document struct {
		Gaps []struct {
			Source  string `json:"source"`
			Message string `json:"message"`
		} `json:"gaps"`
		NotRuledOut []stuck.OpenCause `json:"notRuledOut"`
	}
	if err := json.Unmarshal([]byte(explainJSON), &document); err != nil {
		return fmt.Errorf("reading what explain printed: %w", err)
	}
	for _, question := range questions {
		var askers []string
		for _, open := range document.NotRuledOut {
			for _, g := range document.Gaps {
				if g.Source == open.Source && strings.HasSuffix(g.Message, unrecordedPrefix+question) {
					askers = append(askers, open.Cause)
					break
				}
			}
		}
		if len(askers) == 0 {
			return fmt.Errorf("the recording does not answer %q, which is asked whatever the causes are: make story NAME=%s", question, s.Name)
		}
		for _, cause := range askers {
			if slices.Contains(s.Causes, cause) {
				return fmt.Errorf("the recording does not answer %q, which %s asks: make story NAME=%s", question, cause, s.Name)
			}
		}
	}
	return nil
}
