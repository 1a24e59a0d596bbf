package owner

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Attribute looks for the owners of all finalizers that nothing explains, in a
// diagnosis and in what it waits for. Of objects that are alike it looks at
// one.
func Attribute(see *cluster.View, root *stuck.Diagnosis) {
	for _, g := range stuck.Alike(root.All()) {
		d := g.First()
		for _, finalizer := range d.Unexplained {
			d.Owners = append(d.Owners, Find(see, d.Object, finalizer))
		}
	}
}
