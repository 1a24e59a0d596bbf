package kit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RemoveOwnerReferences is the command that removes some owner references of an object and leaves
// the others: without a valid one, the object would never be garbage-collected. It fails
// where the references are no longer what was seen.
func RemoveOwnerReferences(o stuck.Object, unwanted func(stuck.OwnerReference) bool) string {
	var operations []string
	var args []any
	// From the last to the first, so that those before keep their places.
	for i, owner := range slices.Backward(o.Owners) {
		if unwanted(owner) {
			path := fmt.Sprintf("/metadata/ownerReferences/%d", i)
			operations = append(operations, fmt.Sprintf(`{"op":"test","path":"%s/uid","value":%%q},{"op":"remove","path":"%s"}`, path, path))
			args = append(args, owner.UID)
		}
	}
	return stuck.Kubectlf(o.Namespace, `patch %s %s --type=json -p '[`+strings.Join(operations, ",")+`]'`, append([]any{o.Type.String(), o.Name}, args...)...)
}
