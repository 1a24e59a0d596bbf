package removal

import (
	"fmt"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestNoPatchHasMoreOperationsThanTheAPIServerAccepts(t *testing.T) {
	for _, n := range []int{1, cluster.MaxPatchOperations/2 - 1, cluster.MaxPatchOperations / 2, 2 * cluster.MaxPatchOperations} {
		o := stuck.Object{UID: "1", ResourceVersion: "7"}
		for i := range n {
			o.Finalizers = append(o.Finalizers, fmt.Sprintf("example.com/finalizer-%d", i))
		}
		for what, body := range map[string]any{
			"to remove them all":    Step{Object: o, Finalizers: o.Finalizers}.Requests()[0].Body,
			"to add them again":     addFinalizersRequest(stuck.Object{UID: "1", ResourceVersion: "7", Finalizers: []string{"example.com/other"}}, o.Finalizers).Body,
			"to remove all but one": Step{Object: o, Finalizers: o.Finalizers[1:]}.patch(),
		} {
			if patch := body.([]cluster.PatchOperation); len(patch) > cluster.MaxPatchOperations {
				t.Errorf("the patch %s, of %d finalizers, has %d operations", what, n, len(patch))
			}
		}
	}
}
