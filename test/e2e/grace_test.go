package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// graceScene is a namespace that waits for a Pod which may take an hour to stop, on a node without a kubelet.
const graceScene = `
kubectl create namespace grace
kubectl wait -n grace serviceaccount/default --for=create --timeout=5m
kubectl create -f - <<'END'
apiVersion: v1
kind: Node
metadata: {name: grace-1}
END
kubectl -n grace create -f - <<'END'
apiVersion: v1
kind: Pod
metadata: {name: slow}
spec: {nodeName: grace-1, terminationGracePeriodSeconds: 3600, containers: [{name: c, image: registry.example.com/x}]}
END
kubectl delete namespace grace --wait=false
kubectl -n grace wait pod/slow --for=jsonpath='{.metadata.deletionGracePeriodSeconds}'=3600 --timeout=5m
`

// TestGraceIsTold does what explain says of a namespace that waits for an hour, and it waits for less.
func TestGraceIsTold(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, graceScene)
	out, errOut, _ := kubectl(t, p, plane.Admin, "finalizers", "explain", "ns/grace")
	command := "kubectl -n grace delete pod slow --grace-period=30 --wait=false"
	if !strings.Contains(out, "\n  "+command+"\n") {
		t.Fatalf("it does not say %q:\n%s%s", command, out, errOut)
	}
	wantWords(t, out, []string{"namespace/grace is being deleted", "Verdict Progressing", "pod/slow is within its grace period for another 5"})
	runSetup(t, p, command+"\nkubectl -n grace wait pod/slow --for=jsonpath='{.metadata.deletionGracePeriodSeconds}'=30 --timeout=5m")
}
