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

// shows waits until a running command has printed something.
func shows(t *testing.T, on *screen, pattern string) {
	t.Helper()
	eventually(t, func() error {
		if text := on.String(); !regexp.MustCompile(pattern).MatchString(text) {
			return fmt.Errorf("%q is not in %q", pattern, text)
		}
		return nil
	})
}

// TestWatch follows what gets stuck, what becomes of it, and that it is gone, until it is interrupted.
func TestWatch(t *testing.T) {
	p := sharedPlane(t)
	setUp(t, p, `
kubectl create namespace watched
for name in first second; do
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"watched","finalizers":["watch.example.com/a","watch.example.com/b"]}}' "$name" |
    kubectl create -f -
done
kubectl delete configmap first -n watched --wait=false
`)
	command := exec.CommandContext(t.Context(), plugin, "list", "-n", "watched", "-w")
	command.Env = p.Env(plane.Admin)
	var out, errOut screen
	command.Stdout, command.Stderr = &out, &errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	shows(t, &out, `(?m)^OBJECT .*\n^configmap/first +watch.example.com/a,watch.example.com/b `)
	kubectl(t, p, plane.Admin, "delete", "configmap", "second", "-n", "watched", "--wait=false")
	shows(t, &out, `(?m)^configmap/second +watch.example.com/a,watch.example.com/b `)
	patch := func(name, finalizers string) {
		kubectl(t, p, plane.Admin, "patch", "configmap", name, "-n", "watched", "--type=merge", "-p", `{"metadata":{"finalizers":`+finalizers+`}}`)
	}
	patch("first", `["watch.example.com/b"]`)
	shows(t, &out, `(?m)^configmap/first +watch.example.com/b `)
	patch("first", "[]")
	shows(t, &out, `(?m)^configmap/first +- .* gone`)
	pressed := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := command.Wait()
	if took := time.Since(pressed); took > obedience || err != nil {
		t.Errorf("it took %s to end, with %v: %s", took, err, errOut.String())
	}
	if n := strings.Count(out.String(), "configmap/second"); n != 1 {
		t.Errorf("the second is told of %d times:\n%s", n, out.String())
	}
}
