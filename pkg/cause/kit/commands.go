package kit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// IsValidName reports whether what a field of an object holds can be the name of
// another: only then is it worth asking for, and fit to stand in a command.
func IsValidName(names ...string) bool {
	for _, name := range names {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return false
		}
	}
	return true
}

// RemoveFinalizersCommand is the command that removes some finalizers of an object, and fails
// if they are not the ones that were seen.
func RemoveFinalizersCommand(o stuck.Object, finalizers []string) string {
	var ops []string
	for i, f := range slices.Backward(o.Finalizers) {
		if slices.Contains(finalizers, f) {
			ops = append(ops, fmt.Sprintf(`{"op":"test","path":"/metadata/finalizers/%[1]d","value":%[2]s},{"op":"remove","path":"/metadata/finalizers/%[1]d"}`, i, jsonString(f)))
		}
	}
	return stuck.Kubectlf(o.Namespace, "patch %s --type json -p '[%s]'", o.Ref(), strings.Join(ops, ","))
}

// jsonString is a string as JSON writes it.
func jsonString(text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // a string always marshals
	}
	return encoded
}

// EditStep is a change to the object itself, in an editor.
func EditStep(o stuck.Object, description string) stuck.Step {
	return stuck.Step{Action: stuck.ActionChange, Description: description, Command: stuck.Kubectlf(o.Namespace, "edit %s %s", o.Type, o.Name)}
}
