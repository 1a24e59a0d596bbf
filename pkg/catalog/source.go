package catalog

import (
	"errors"
	"fmt"
	"slices"
)

// Source is where something was read.
type Source struct {
	Repository string `json:"repository" yaml:"repository"`
	Path       string `json:"path" yaml:"path"`
	Ref        string `json:"ref,omitempty" yaml:"ref"`
	// Shows says what of the entry, or of the component, the file shows.
	Shows []Aspect `json:"shows,omitempty" yaml:"shows"`
}

// Aspect is what a source shows.
type Aspect string

const (
	// AspectAddition is what adds the finalizer, and to which types.
	AspectAddition Aspect = "Addition"
	// AspectRemoval is the code that removes it, and which program that belongs to.
	AspectRemoval Aspect = "Removal"
	// AspectCleanup is what is done before that, or that nothing is.
	AspectCleanup Aspect = "Cleanup"
	// AspectWorkload is the manifest or chart that names the workload, its labels and containers.
	AspectWorkload Aspect = "Workload"
)

func knownAspects() []Aspect {
	return []Aspect{AspectAddition, AspectRemoval, AspectCleanup, AspectWorkload}
}

// String is the source as a person cites it.
func (s Source) String() string {
	text := s.Repository + " " + s.Path
	if s.Ref != "" {
		text += " @ " + s.Ref
	}
	return text
}

func (s Source) check() error {
	if s.Repository == "" || s.Path == "" {
		return errors.New("source needs repository and path")
	}
	for _, aspect := range s.Shows {
		if !slices.Contains(knownAspects(), aspect) {
			return fmt.Errorf("shows %q is none of %v", aspect, knownAspects())
		}
	}
	return nil
}
