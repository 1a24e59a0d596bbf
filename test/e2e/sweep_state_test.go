package e2e

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestSweepState keeps what sweeps have left in a ConfigMap: it is created, sweeps of another selection do not count, and
// what others write into it stops no sweep.
func TestSweepState(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
		kubectl create namespace sweep-state
		printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"sweep-state","labels":{"sweep":"state"},"finalizers":["sweep.example.com/hold"]}}' | kubectl create -f -`)
	folder := t.TempDir()
	again := func(want int, extra ...string) (errOut string) {
		t.Helper()
		args := []string{"configmaps", "-n", "sweep-state", "--yes", "--stall=1s", "--stuck-for=2", "--state-configmap=sweep-state/left"}
		_, errOut, code := sweepNow(t, p, folder, append(args, extra...)...)
		if code != want {
			t.Errorf("it ended with %d, not %d", code, want)
		}
		return errOut
	}
	again(0, "-l", "sweep=state")
	again(0, "-l", "sweep in (state)") // another selection
	again(0, "-l", "sweep=none")
	again(2, "-l", "sweep=state")
	again(2, "-l", "!kept,sweep=state", "--stuck-for=1")
	again(2, "-l", "!kept", "--stuck-for=1") // in one namespace, and not the ConfigMap itself
	data, _, _ := kubectl(t, p, plane.Admin, "get", "configmap", "left", "-n", "sweep-state", "-o", "jsonpath={.data}")
	if n := strings.Count(data, `\"selection\"`); n != 5 {
		t.Errorf("the ConfigMap has %d selections: %s", n, data)
	}
	runSetup(t, p, `
		kubectl get configmap left -n sweep-state -o json | sed 's/"{.*"/"{\\u001b[31m"/' | kubectl replace -f -
		kubectl create configmap settings -n sweep-state --from-literal=color=blue`)
	if errOut := again(4, "-l", "sweep=state"); !strings.Contains(errOut, "could not read configmap/left -n sweep-state: left-") || strings.Contains(errOut, "\x1b") {
		t.Errorf("of what is damaged it said %s", errOut)
	}
	again(2, "-l", "sweep=state")
	_, errOut, code := sweepNow(t, p, folder, "configmaps", "-n", "sweep-state", "-l", "sweep=state", "--yes", "--state-configmap=sweep-state/settings")
	if code != 1 || !strings.Contains(errOut, "nothing was deleted: reading configmap/settings -n sweep-state: it holds something else") {
		t.Errorf("with a ConfigMap of something else it ended with %d: %s", code, errOut)
	}
	runSetup(t, p, `kubectl patch configmap held -n sweep-state --type=merge -p '{"metadata":{"finalizers":[]}}'; kubectl delete namespace sweep-state --wait=false`)
}
