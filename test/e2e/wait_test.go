package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// startWait runs wait in the background.
func startWait(t *testing.T, p *plane.Plane, args ...string) (command *exec.Cmd, out, errOut *outputBuffer) {
	t.Helper()
	command = exec.CommandContext(t.Context(), plugin, append([]string{"wait"}, args...)...)
	command.Env = p.Env(plane.Admin)
	out, errOut = &outputBuffer{}, &outputBuffer{}
	command.Stdout, command.Stderr = out, errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, out, errOut
}

// wantWaitEnd waits for the end of a wait that succeeds.
func wantWaitEnd(t *testing.T, command *exec.Cmd, out, errOut *outputBuffer, want string) {
	t.Helper()
	_ = command.Wait() // the code is looked at below
	if got := command.ProcessState.ExitCode(); got != 0 || out.String() != want {
		t.Errorf("it ended with %d and printed:\n%s\nnot:\n%s\nand said:\n%s", got, out, want, errOut)
	}
}

// createHeld makes a namespace with ConfigMaps of some names, each with a finalizer.
func createHeld(t *testing.T, p *plane.Plane, namespace string, names ...string) {
	t.Helper()
	kubectl(t, p, plane.Admin, "create", "namespace", namespace)
	for _, name := range names {
		runSetup(t, p, fmt.Sprintf(`printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"%s","labels":{"wait":"yes"},"finalizers":["wait.example.com/a"]}}' | kubectl create -f -`, name, namespace))
	}
}

// freeHeld removes the finalizer of a ConfigMap.
func freeHeld(t *testing.T, p *plane.Plane, namespace, name string) {
	t.Helper()
	runSetup(t, p, fmt.Sprintf(`kubectl patch configmap %s -n %s --type=merge -p '{"metadata":{"finalizers":[]}}'`, name, namespace))
}

// TestWaitForSlowDeletion follows a namespace whose content is deleted one after the other.
func TestWaitForSlowDeletion(t *testing.T) {
	p := sharedPlane(t)
	createHeld(t, p, "wait-slow", "first", "second")
	kubectl(t, p, plane.Admin, "delete", "namespace", "wait-slow", "--wait=false")
	command, out, errOut := startWait(t, p, "ns/wait-slow", "--for=delete", "--stall=10m")
	waitForOutput(t, errOut, `(?m)^waiting for namespace/wait-slow; .*2 configmaps.* left; finalizers: 2 wait.example.com/a`)
	freeHeld(t, p, "wait-slow", "first")
	waitForOutput(t, errOut, `(?m)^waiting for namespace/wait-slow; .*1 configmap.* left; finalizers: 1 wait.example.com/a`)
	freeHeld(t, p, "wait-slow", "second")
	wantWaitEnd(t, command, out, errOut, "namespace/wait-slow condition met\n")
}

// TestWaitExplainsStall expects the explanation of what does not move.
func TestWaitExplainsStall(t *testing.T) {
	p := sharedPlane(t)
	createHeld(t, p, "wait-stuck", "held", "free")
	runSetup(t, p, `kubectl delete configmap held -n wait-stuck --wait=false`)
	out, errOut, code := finalizers(t, p.Env(plane.Admin), "wait", "cm/held", "-n", "wait-stuck", "--stall=2s")
	explained, _, _ := finalizers(t, p.Env(plane.Admin), "explain", "cm/held", "-n", "wait-stuck")
	firstLine, _, _ := strings.Cut(explained, "\n")
	if code != 2 || firstLine == "" || !strings.HasPrefix(out, firstLine) || !strings.Contains(out, "wait.example.com/a") ||
		!strings.Contains(errOut, "nothing has moved for 2s on configmaps/held") {
		t.Errorf("it ended with %d, printed\n%s\nand said\n%s\nwhere explain prints\n%s", code, out, errOut, explained)
	}
	out, errOut, code = finalizers(t, p.Env(plane.Admin), "wait", "cm", "-l", "wait=yes", "-n", "wait-stuck", "--timeout=0")
	if code != 2 || !strings.Contains(out, "configmap/free -n wait-stuck is not being deleted") || errOut != "error: timed out waiting for the condition on configmaps/free, configmaps/held\n" {
		t.Errorf("without time it ended with %d, printed\n%s\nand said\n%s", code, out, errOut)
	}
	freeHeld(t, p, "wait-stuck", "held")
}

// TestWaitDocuments expects a document on each line.
func TestWaitDocuments(t *testing.T) {
	p := sharedPlane(t)
	createHeld(t, p, "wait-json", "held")
	runSetup(t, p, `kubectl delete configmap held -n wait-json --wait=false`)
	out, errOut, code := finalizers(t, p.Env(plane.Admin), "wait", "cm/held", "-n", "wait-json", "--stall=2s", "-o", "json")
	var kinds []string
	for line := range strings.Lines(out) {
		var document struct{ Kind, Event string }
		if err := json.Unmarshal([]byte(line), &document); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		kinds = append(kinds, document.Kind+document.Event)
	}
	if got := strings.Join(kinds, " "); code != 2 || errOut != "" || !strings.HasSuffix(got, "WaitEventProgress WaitEventStalled Explanation") {
		t.Errorf("it ended with %d, said %q and printed %s:\n%s", code, errOut, got, out)
	}
	command, buffer, errBuffer := startWait(t, p, "cm/held", "-n", "wait-json", "-o", "json")
	waitForOutput(t, buffer, `"event":"Progress"`)
	freeHeld(t, p, "wait-json", "held")
	waitForOutput(t, buffer, `(?m)^\{.*"event":"Deleted".*"name":"held".*\}$`)
	wantWaitEnd(t, command, buffer, errBuffer, buffer.String())
}

// TestWaitForRecreated waits for an object whose name is used again.
func TestWaitForRecreated(t *testing.T) {
	p := sharedPlane(t)
	createHeld(t, p, "wait-again", "held")
	runSetup(t, p, `kubectl delete configmap held -n wait-again --wait=false`)
	command, out, errOut := startWait(t, p, "cm/held", "-n", "wait-again", "--stall=10m")
	waitForOutput(t, errOut, `(?m)^waiting for configmap/held -n wait-again; finalizers: 1 wait.example.com/a`)
	freeHeld(t, p, "wait-again", "held")
	runSetup(t, p, `kubectl create configmap held -n wait-again`)
	wantWaitEnd(t, command, out, errOut, "configmap/held condition met\n")
}

// TestWaitForNothing waits for what does not exist.
func TestWaitForNothing(t *testing.T) {
	p := sharedPlane(t)
	for args, want := range map[string]string{
		"cm -l no=such -A":                  "No objects found.\n",
		"cm/no-such":                        "configmaps \"no-such\" not found in namespace \"default\": it may be gone already, or elsewhere (-n, --context)\n",
		"cm/no-such --timeout=0 -n no-such": "configmaps \"no-such\" not found in namespace \"no-such\", which does not exist either; check -n and --context\n",
	} {
		out, errOut, code := finalizers(t, p.Env(plane.Admin), append([]string{"wait"}, strings.Fields(args)...)...)
		if code != 0 || out != "" || !strings.HasSuffix(errOut, want) {
			t.Errorf("wait %s ended with %d, printed %q and said %q", args, code, out, errOut)
		}
	}
}

// TestWaitSurvivesRestart restarts the API server under a wait.
func TestWaitSurvivesRestart(t *testing.T) {
	p := ownPlane(t)
	createHeld(t, p, "wait-restart", "held")
	runSetup(t, p, `kubectl delete namespace wait-restart --wait=false`)
	command, out, errOut := startWait(t, p, "ns/wait-restart", "--stall=10m")
	waitForOutput(t, errOut, `(?m)^waiting for namespace/wait-restart; .*finalizers: 1 wait.example.com/a`)
	if err := p.Stop(plane.APIServer); err != nil {
		t.Fatal(err)
	}
	waitForOutput(t, errOut, `(?m)^namespace/wait-restart: cannot be watched: `)
	if err := p.Start(t.Context(), plane.APIServer); err != nil {
		t.Fatal(err)
	}
	freeHeld(t, p, "wait-restart", "held")
	wantWaitEnd(t, command, out, errOut, "namespace/wait-restart condition met\n")
}
