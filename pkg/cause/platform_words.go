package cause

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// isValidName reports whether what a field of an object holds can be the name of
// another: only then is it worth asking for, and fit to stand in a command.
func isValidName(names ...string) bool {
	for _, name := range names {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return false
		}
	}
	return true
}

// inNamespace is where an object is, as it stands after its name.
func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// typeAndName is an object as kubectl takes it: its type in full, so that no other
// of the same name is meant.
func typeAndName(o stuck.Object) string { return o.Ref() }

// notDeletedLines are the objects that something waits for and that nobody has deleted:
// what each does, and how many more there are.
func notDeletedLines(left []stuck.Object, clause string) []string {
	var out []string
	for _, o := range left[:min(len(left), stuck.MaxUngrouped)] {
		out = append(out, fmt.Sprintf("%s%s %s, and is not being deleted", o.Ref(), inNamespace(o.Namespace), clause))
	}
	if more := len(left) - stuck.MaxUngrouped; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// removeFinalizersCommand is the command that removes some finalizers of an object, and fails
// if they are not the ones that were seen.
func removeFinalizersCommand(o stuck.Object, finalizers []string) string {
	var ops []string
	for i, f := range slices.Backward(o.Finalizers) {
		if slices.Contains(finalizers, f) {
			ops = append(ops, fmt.Sprintf(`{"op":"test","path":"/metadata/finalizers/%[1]d","value":"%[2]s"},{"op":"remove","path":"/metadata/finalizers/%[1]d"}`, i, f))
		}
	}
	return kubectlCommand(o.Namespace, "patch %s --type json -p '[%s]'", typeAndName(o), strings.Join(ops, ","))
}
