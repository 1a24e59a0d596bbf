package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Confirmation is what a person has to say before the controller goes on with a deletion.
type Confirmation struct {
	// FieldValue is the value that confirms. Where it is left out, the deletion waits for as long as When holds.
	FieldValue `json:",inline" yaml:",inline"`
	// When are the values with which the controller asks, all of them. Where it is left out, the controller always asks.
	When []FieldValue `json:"when,omitempty" yaml:"when"`
	// Confirm is the step that confirms.
	Confirm stuck.Step `json:"confirm" yaml:"confirm"`
}

// IsMissing reports whether the deletion of an object waits for the confirmation.
func (c Confirmation) IsMissing(object map[string]any) bool {
	if c.isNamed() && c.Matches(object) {
		return false
	}
	return !slices.ContainsFunc(c.When, func(v FieldValue) bool { return !v.Matches(object) })
}

// Asks is the value with which the controller asks, as it stands in the object; empty where it always asks.
func (c Confirmation) Asks() string { return valueTexts(c.When) }

// String is what the deletion waits for: annotation example.com/approved=yes is set, spec.protect=true is changed.
func (c Confirmation) String() string {
	if !c.isNamed() {
		return valueTexts(c.When) + " is changed"
	}
	return c.Text() + " is set"
}

func valueTexts(values []FieldValue) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, v.Text())
	}
	return strings.Join(texts, " and ")
}

func (c Confirmation) check() error {
	if !c.isNamed() && len(c.When) == 0 {
		return errors.New("confirmation: name the value that confirms, or in when the values that ask")
	}
	if c.isNamed() {
		if err := c.FieldValue.check(); err != nil {
			return fmt.Errorf("confirmation: %w", err)
		}
	}
	for _, v := range c.When {
		if err := v.check(); err != nil {
			return fmt.Errorf("confirmation: when: %w", err)
		}
	}
	if err := checkSteps([]stuck.Step{c.Confirm}); err != nil {
		return fmt.Errorf("confirmation: confirm: %w", err)
	}
	return nil
}

// Obsolete says that current releases of a project do not remove a finalizer.
type Obsolete struct {
	// Since is the first release that does not remove it.
	Since string `json:"since" yaml:"since"`
	// Successor is the finalizer that took its place, empty where there is none.
	Successor string `json:"successor,omitempty" yaml:"successor"`
	// Text says what became of its work.
	Text string `json:"text" yaml:"text"`
}

func (o *Obsolete) check() error {
	switch {
	case o == nil:
		return nil
	case o.Since == "":
		return errors.New("obsolete: since is missing: name the first release that does not remove the finalizer")
	case o.Text == "":
		return errors.New("obsolete: text is missing: say what became of its work")
	}
	return nil
}

// Hosted is where a controller runs that the API of the cluster does not show.
type Hosted struct {
	// Where is the place, as the end of "its controller runs ...".
	Where string `json:"where" yaml:"where"`
	// Steps name the switch that turns the controller on, or what to look at there.
	Steps []stuck.Step `json:"steps" yaml:"steps"`
}

func (h *Hosted) check(by Remover) error {
	switch {
	case h == nil:
		return nil
	case by != RemovedByCloud && by != RemovedByOtherCluster:
		return fmt.Errorf("hosted: removedBy is %s or %s, for what runs outside of the cluster", RemovedByCloud, RemovedByOtherCluster)
	case h.Where == "":
		return errors.New("hosted: where is missing: say where the controller runs")
	case len(h.Steps) == 0:
		return errors.New("hosted: steps is empty: name the switch, or what to look at there")
	}
	return checkSteps(h.Steps)
}
