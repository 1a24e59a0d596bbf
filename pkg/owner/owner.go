// Package owner says who should have removed a finalizer, and whether they are
// alive: one file per clue.
//
// Its law: a clue is a fact and says where it was read. No clue, and no clues
// together, ever make a controller dead that could merely not be found.
package owner

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Find gathers what is known of the controller behind a finalizer.
func Find(see *cluster.View, o stuck.Object, finalizer string) stuck.Owner {
	return stuck.Owner{
		Finalizer: finalizer,
		Clues:     append(SetBy(see, o, finalizer), group(o)),
		Alive:     stuck.AliveUnknown,
		Health:    []string{},
	}
}

// group is the API that the object's type belongs to: most controllers put
// finalizers on the types of their own group.
func group(o stuck.Object) string {
	if o.Type.Group == "" {
		return fmt.Sprintf("%s is a type of Kubernetes' core API", o.Type)
	}
	return fmt.Sprintf("%s is a type of API group %s", o.Type.Resource, o.Type.Group)
}
