package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Scope is what limits a component to some namespaces, beside the conventions that hold for every controller, such as the environment
// variable WATCH_NAMESPACE. One of Flag, Env and OwnNamespace is given.
type Scope struct {
	// Flag is a flag of the component's command line, or Env an environment variable, that holds the names of the namespaces. Where it
	// is not set, the component works in all of them.
	Flag string `json:"flag,omitempty" yaml:"flag"`
	Env  string `json:"env,omitempty" yaml:"env"`
	// Own are the values of the flag or the variable with which the component works in its own namespace only; "" stands for one that
	// is not set.
	Own []string `json:"own,omitempty" yaml:"own"`
	// OwnNamespace says that the component always works in its own namespace only, so that it runs where the object is.
	OwnNamespace bool `json:"ownNamespace,omitempty" yaml:"ownNamespace"`
	// Extend is the step after which a component works in the namespace of the object, where that is another one than a change of its
	// command line or environment.
	Extend *stuck.Step `json:"extend,omitempty" yaml:"extend"`
}

// String is where the namespaces stand: --namespaces.
func (s Scope) String() string { return cmp.Or(s.Flag, s.Env, "its own namespace") }

// Text is which namespaces the component works in: the namespaces in --namespaces, if it is set.
func (s Scope) Text() string {
	if s.OwnNamespace {
		return "its own namespace only"
	}
	var own []string
	for _, value := range s.Own {
		if value == "" {
			own = append(own, "without "+s.String())
		} else {
			own = append(own, fmt.Sprintf("with %s=%s", s.String(), value))
		}
	}
	if len(own) == 0 {
		return fmt.Sprintf("the namespaces in %s, if it is set", s.String())
	}
	return "its own namespace only, " + strings.Join(own, " or ")
}

// MeansOwn reports whether a value of the flag or the variable, empty where it is not set, limits the component to its own namespace.
func (s Scope) MeansOwn(value string) bool { return slices.Contains(s.Own, value) }

func (s Scope) check() error {
	setting := s.Flag + s.Env
	switch {
	case s.Flag != "" && s.Env != "" || s.OwnNamespace == (setting != ""):
		return errors.New("scope: name one of flag, env and ownNamespace")
	case s.Flag != "" && !strings.HasPrefix(s.Flag, "--"):
		return fmt.Errorf("scope: flag %q does not begin with two dashes", s.Flag)
	case strings.ContainsAny(setting, "= "):
		return fmt.Errorf("scope: %q is not a name", setting)
	case s.OwnNamespace && (len(s.Own) > 0 || s.Extend == nil):
		return errors.New("scope: ownNamespace goes with extend, and without own")
	case s.Extend == nil:
		return nil
	}
	if err := checkSteps([]stuck.Step{*s.Extend}); err != nil {
		return fmt.Errorf("scope: extend: %w", err)
	}
	return nil
}
