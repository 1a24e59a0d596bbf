package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Setting is a setting of a component without which it does not handle the finalizer.
type Setting struct {
	// Flag is a flag of its command line, Gate a feature gate of its flag --feature-gates, or Env an environment variable; one
	// of them.
	Flag string `json:"flag,omitempty" yaml:"flag"`
	Gate string `json:"gate,omitempty" yaml:"gate"`
	Env  string `json:"env,omitempty" yaml:"env"`
	// Values are the values with which it handles the finalizer. Left out it is true.
	Values []string `json:"values,omitempty" yaml:"values"`
	// Default says what it does where nothing is set; left out where that is not known, or releases differ.
	Default Default `json:"default,omitempty" yaml:"default"`
}

// Default is what a program does where nothing is set.
type Default string

const (
	// DefaultEnabled handles the finalizer.
	DefaultEnabled Default = "enabled"
	// DefaultDisabled leaves it alone.
	DefaultDisabled Default = "disabled"
)

// accepted are the values with which the component handles the finalizer.
func (s Setting) accepted() []string {
	if len(s.Values) == 0 {
		return []string{"true"}
	}
	return s.Values
}

// Enables reports whether the component handles the finalizer with a value.
func (s Setting) Enables(value string) bool { return slices.Contains(s.accepted(), value) }

// Wanted is the setting with a value with which the component handles the finalizer: --enable-widgets=true.
func (s Setting) Wanted() string { return s.name() + "=" + s.accepted()[0] }

func (s Setting) name() string { return cmp.Or(s.Flag, s.Gate, s.Env) }

// String is the setting as a person names it: feature gate WidgetCleanup, --enable-widgets.
func (s Setting) String() string {
	switch {
	case s.Gate != "":
		return "feature gate " + s.Gate
	case s.Env != "":
		return "environment variable " + s.Env
	}
	return "flag " + s.Flag
}

// Text is the setting, and the values with which the component handles the finalizer.
func (s Setting) Text() string {
	text := s.String() + "=" + strings.Join(s.accepted(), " or ")
	switch s.Default {
	case DefaultEnabled:
		return text + ", which is the default"
	case DefaultDisabled:
		return text + ", which is not the default"
	}
	return text
}

func (s Setting) check() error {
	named := slices.DeleteFunc([]string{s.Flag, s.Gate, s.Env}, func(name string) bool { return name == "" })
	switch {
	case len(named) != 1:
		return errors.New("enabledBy: name one of flag, gate and env")
	case s.Flag != "" && !strings.HasPrefix(s.Flag, "--"):
		return fmt.Errorf("enabledBy: flag %q does not begin with two dashes", s.Flag)
	case strings.ContainsAny(named[0], "= "):
		return fmt.Errorf("enabledBy: %q is a name with a value: the values stand in values", named[0])
	case s.Default != "" && s.Default != DefaultEnabled && s.Default != DefaultDisabled:
		return fmt.Errorf("enabledBy: default %q is none of %s and %s", s.Default, DefaultEnabled, DefaultDisabled)
	}
	return nil
}
