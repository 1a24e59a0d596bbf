package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// waitForOutput waits until a running command has printed something.
func waitForOutput(t *testing.T, on *outputBuffer, pattern string) {
	t.Helper()
	eventually(t, func() error {
		if text := on.String(); !regexp.MustCompile(pattern).MatchString(text) {
			return fmt.Errorf("%q is not in %q", pattern, text)
		}
		return nil
	})
}

// startListWatch runs list -w until the test ends or interrupts it.
func startListWatch(t *testing.T, p *plane.Plane, args ...string) (command *exec.Cmd, out, errOut *outputBuffer) {
	t.Helper()
	command = exec.CommandContext(t.Context(), plugin, append([]string{"list", "-w"}, args...)...)
	command.Env = p.Env(plane.Admin)
	out, errOut = &outputBuffer{}, &outputBuffer{}
	command.Stdout, command.Stderr = out, errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, out, errOut
}

// TestWatch follows what gets stuck, what becomes of it, and that it is gone, until it is interrupted.
func TestWatch(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
kubectl create namespace watched
for name in first second; do
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"watched","finalizers":["watch.example.com/a","watch.example.com/b"]}}' "$name" |
    kubectl create -f -
done
kubectl delete configmap first -n watched --wait=false
`)
	command, out, errOut := startListWatch(t, p, "-n", "watched", "-o", "wide")
	waitForOutput(t, out, `(?m)^TIME .*\n^\S+Z +STUCK +cm/first .* watch.example.com/a,watch.example.com/b `)
	kubectl(t, p, plane.Admin, "delete", "configmap", "second", "-n", "watched", "--wait=false")
	waitForOutput(t, out, `(?m)^\S+Z +STUCK +cm/second .* watch.example.com/a,watch.example.com/b `)
	patch := func(name, finalizers string) {
		kubectl(t, p, plane.Admin, "patch", "configmap", name, "-n", "watched", "--type=merge", "-p", `{"metadata":{"finalizers":`+finalizers+`}}`)
	}
	patch("first", `["watch.example.com/b"]`)
	waitForOutput(t, out, `(?m)^\S+Z +CHANGED +cm/first .* watch.example.com/b `)
	patch("first", "[]")
	waitForOutput(t, out, `(?m)^\S+Z +GONE +cm/first `)
	pressed := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := command.Wait()
	if took := time.Since(pressed); took > interruptTimeout || err != nil {
		t.Errorf("it took %s to end, with %v: %s", took, err, errOut.String())
	}
	if n := strings.Count(out.String(), "cm/second"); n != 1 {
		t.Errorf("the second is told of %d times:\n%s", n, out.String())
	}
}

// TestWatchOfSomeLabels takes an object out of what is selected, which a watch tells in the same way as that it is gone.
func TestWatchOfSomeLabels(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
kubectl create namespace watched-labels
for name in moved stays; do
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"watched-labels","labels":{"team":"a"},"finalizers":["watch.example.com/a"]}}' "$name" |
    kubectl create -f -
done
kubectl delete configmap moved -n watched-labels --wait=false
`)
	_, out, _ := startListWatch(t, p, "configmaps", "-n", "watched-labels", "-l", "team=a")
	waitForOutput(t, out, ` STUCK +cm/moved `)
	do := func(args ...string) { kubectl(t, p, plane.Admin, append(args, "-n", "watched-labels")...) }
	do("label", "configmap", "moved", "team=b", "--overwrite")
	// By the time that a later change is told, so is what there is to tell of this one.
	do("delete", "configmap", "stays", "--wait=false")
	waitForOutput(t, out, ` STUCK +cm/stays `)
	do("label", "configmap", "moved", "team=a", "--overwrite")
	const twice = `(?s) STUCK +cm/moved .* cm/moved `
	waitForOutput(t, out, twice)
	do("patch", "configmap", "moved", "--type=merge", "-p", `{"metadata":{"finalizers":[]}}`)
	waitForOutput(t, out, twice+`.* GONE +cm/moved `)
	if n := strings.Count(out.String(), " GONE "); n != 1 {
		t.Errorf("an object of which one is gone is called gone %d times:\n%s", n, out)
	}
}

// TestWatchDocuments follows with -o json, which prints a document for each event.
func TestWatchDocuments(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
kubectl create namespace watched-json
printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","namespace":"watched-json","finalizers":["watch.example.com/a"]}}' | kubectl create -f -
kubectl delete configmap held -n watched-json --wait=false
`)
	_, out, _ := startListWatch(t, p, "-n", "watched-json", "-o", "json")
	waitForOutput(t, out, `(?m)^\{.*"event":"Stuck".*"name":"held".*\}$`)
	kubectl(t, p, plane.Admin, "patch", "configmap", "held", "-n", "watched-json", "--type=merge", "-p", `{"metadata":{"finalizers":[]}}`)
	waitForOutput(t, out, `(?m)^\{.*"event":"Gone".*"name":"held".*\}$`)
}
