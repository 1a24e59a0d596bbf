package cmd

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The fields that --field-selector knows: those that every API server knows of every
// type, and that a scan keeps.
const (
	nameField      = "metadata.name"
	namespaceField = "metadata.namespace"
)

func parseFieldSelector(text string) (fields.Selector, error) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return nil, fmt.Errorf("reading --field-selector: %w", err)
	}
	for _, r := range selector.Requirements() {
		if r.Field != nameField && r.Field != namespaceField {
			return nil, fmt.Errorf("reading --field-selector: field %q is not supported; use %s or %s", r.Field, nameField, namespaceField)
		}
	}
	return selector, nil
}

// matchesFields reports whether --field-selector selects an object. It is asked of what
// was read, not of the API server: types differ in the fields that they know, and what
// else is stuck may be the reason why an object is.
func (o *listOptions) matchesFields(object stuck.Object) bool {
	return o.fields == nil || o.fields.Matches(fields.Set{nameField: object.Name, namespaceField: object.Namespace})
}
