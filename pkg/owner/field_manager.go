package owner

import (
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// SetBy says who set a finalizer and when, where the object's managedFields
// tell.
func SetBy(see *cluster.View, o stuck.Object, finalizer string) []string {
	var out []string
	for _, m := range see.SetBy(o, finalizer) {
		line := "set by field manager " + m.Name
		if !m.At.IsZero() {
			line += ", which last wrote to it " + duration.HumanDuration(see.Now().Sub(m.At)) + " ago"
		}
		out = append(out, line)
	}
	return out
}
