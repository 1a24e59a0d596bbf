package kit

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NotDeletedLines are the objects that something waits for and that nobody has deleted:
// what each does, and how many more there are.
func NotDeletedLines(left []stuck.Object, clause string) []string {
	var out []string
	for _, o := range left[:min(len(left), stuck.MaxUngrouped)] {
		out = append(out, fmt.Sprintf("%s%s %s, and is not being deleted", o.Ref(), stuck.InNamespace(o.Namespace), clause))
	}
	if more := len(left) - stuck.MaxUngrouped; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// Verb is the verb behind the count of some objects: for one, or for many.
func Verb(objects []stuck.Object, one, many string) string {
	if len(objects) == 1 {
		return one
	}
	return many
}

// CulpritAmong is the object waited for, or the namespace that holds them all.
func CulpritAmong(objects []stuck.Object, container stuck.Object) stuck.Culprit {
	if len(objects) == 1 {
		return objects[0].Culprit()
	}
	return container.Culprit()
}

// IsPod reports whether the object is a Pod.
func IsPod(o stuck.Object) bool { return o.Is("", "Pod") }

// SplitByDeleting parts what is being deleted from what is not.
func SplitByDeleting(objects []stuck.Object) (deleting, left []stuck.Object) {
	for _, o := range objects {
		if o.Deleting() {
			deleting = append(deleting, o)
		} else {
			left = append(left, o)
		}
	}
	return deleting, left
}
