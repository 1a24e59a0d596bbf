package e2e

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// specScene is a namespace with a finalizer of somebody's own in its spec, which no scan sees.
const specScene = `
kubectl create -f - <<'END'
{apiVersion: v1, kind: Namespace, metadata: {name: list-spec}, spec: {finalizers: [list-spec.example.com/hold]}}
END
kubectl delete namespace list-spec --wait=false
`

func TestListFinalizerInSpec(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, specScene)
	for glob, want := range map[string]string{
		"list-spec.example.com/*":         "namespace/list-spec\n",
		"spec:list-spec.example.com/hold": "namespace/list-spec\n",
		"list-spec.example.org/*":         "",
	} {
		for _, format := range []string{"name", "jsonpath=namespace/{.items[*].metadata.name}{'\\n'}"} {
			out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "list", "ns", "-A", "--finalizer", glob, "-o", format)
			if out != want && (want != "" || out != "namespace/\n") {
				t.Errorf("%s with -o %s: %q %s", glob, format, out, errOut)
			}
		}
	}
}
