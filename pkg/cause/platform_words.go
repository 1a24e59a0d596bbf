package cause

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// proper says whether what a field of an object holds can be the name of
// another: only then is it worth asking for, and fit to stand in a command.
func proper(names ...string) bool {
	for _, name := range names {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return false
		}
	}
	return true
}

// in is where an object is, as it stands after its name.
func in(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// target is an object as kubectl takes it: its type in full, so that no other
// of the same name is meant.
func target(o stuck.Object) string { return o.Ref() }

// still are the objects that something waits for and that nobody has deleted:
// what each does, and how many more there are.
func still(left []stuck.Object, does string) []string {
	var out []string
	for _, o := range left[:min(len(left), stuck.Handful)] {
		out = append(out, fmt.Sprintf("%s%s %s, and is not being deleted", o.Ref(), in(o.Namespace), does))
	}
	if more := len(left) - stuck.Handful; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// takeOff is the command that removes some finalizers of an object, and fails
// if they are not the ones that were seen.
func takeOff(o stuck.Object, finalizers []string) string {
	var ops []string
	for i, f := range slices.Backward(o.Finalizers) {
		if slices.Contains(finalizers, f) {
			ops = append(ops, fmt.Sprintf(`{"op":"test","path":"/metadata/finalizers/%[1]d","value":"%[2]s"},{"op":"remove","path":"/metadata/finalizers/%[1]d"}`, i, f))
		}
	}
	return command(o.Namespace, "patch %s --type json -p '[%s]'", target(o), strings.Join(ops, ","))
}
