package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Remote is the other cluster in which something has to be done before the finalizer is removed.
type Remote struct {
	// FieldValue is the field, the annotation or the label that holds its name, behind Prefix.
	FieldValue `json:",inline" yaml:",inline"`
	Prefix     string `json:"prefix,omitempty" yaml:"prefix"`
	// Type is the type of the object that stands for it.
	Type Type `json:"type" yaml:"type"`
	// Ready are the values of that object with which the deletion goes on: one is enough.
	Ready []FieldValue `json:"ready" yaml:"ready"`
	// Unless are values of the object being deleted with which the other cluster is not needed.
	Unless []FieldValue `json:"unless,omitempty" yaml:"unless"`
	// Connect is the step to connect it again. In its command {remote} is its name.
	Connect stuck.Step `json:"connect" yaml:"connect"`
}

// NameIn is the name of the other cluster of an object, empty where the object needs none.
func (r Remote) NameIn(object map[string]any) string {
	if slices.ContainsFunc(r.Unless, func(v FieldValue) bool { return v.Matches(object) }) {
		return ""
	}
	value, _ := r.lookup(object)
	name, ok := strings.CutPrefix(value, r.Prefix)
	if !ok {
		return ""
	}
	return name
}

// String is the other cluster as a person names it: the Outpost.example.com in metadata.namespace.
func (r Remote) String() string { return fmt.Sprintf("the %s in %s", r.Type, r.FieldValue) }

// IsReady reports whether the deletion goes on with the other cluster as it is.
func (r Remote) IsReady(remote map[string]any) bool {
	return slices.ContainsFunc(r.Ready, func(v FieldValue) bool { return v.Matches(remote) })
}

func (r Remote) check() error {
	if err := errors.Join(r.FieldValue.check(), r.Type.check()); err != nil {
		return fmt.Errorf("remote: %w", err)
	}
	if len(r.Ready) == 0 {
		return errors.New("remote: ready is empty: name the values with which the deletion goes on")
	}
	for _, v := range slices.Concat(r.Ready, r.Unless) {
		if err := v.check(); err != nil {
			return fmt.Errorf("remote: %w", err)
		}
	}
	if err := checkSteps([]stuck.Step{r.Connect}); err != nil {
		return fmt.Errorf("remote: connect: %w", err)
	}
	return nil
}
