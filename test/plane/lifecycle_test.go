package plane_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

func TestControllerManagerStopsAndStarts(t *testing.T) {
	p := start(t, plane.Options{})
	if err := p.Stop(plane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	leases := client(t, p, plane.Admin).CoordinationV1().Leases("kube-system")
	before, err := leases.Get(t.Context(), plane.ControllerManager, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context(), plane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	after, err := leases.Get(t.Context(), plane.ControllerManager, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *before.Spec.HolderIdentity == *after.Spec.HolderIdentity {
		t.Errorf("the lease is still held by %s, which was stopped", *before.Spec.HolderIdentity)
	}
	if err := p.Start(t.Context(), plane.ControllerManager); err == nil {
		t.Error("a part that runs was started again")
	}
}

func TestPartThatDiesIsQuoted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	_, err := plane.Start(t.Context(), plane.Options{Dir: dir, Controllers: "no-such-controller"})
	if err == nil || !strings.Contains(err.Error(), "is not in the list of known controllers") {
		t.Errorf("the error does not say what the controller manager said: %v", err)
	}
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}

func TestPlaneDiesWithItsProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), orphanEnv+"="+dir)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(output).ReadString('\n'); line != "started\n" {
		t.Fatalf("the other process says %q", line)
	}
	if got := len(processes(t, dir)); got != 4 {
		t.Errorf("%d parts are running, want 4", got)
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	eventually(t, func() error {
		if left := processes(t, dir); len(left) > 0 {
			return fmt.Errorf("still running: %v", left)
		}
		return nil
	})
}

func TestDetachedPlaneIsFoundAndStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	if _, err := plane.Start(t.Context(), plane.Options{Dir: dir, Detached: true}); err != nil {
		t.Fatal(err)
	}
	p, err := plane.Attach(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client(t, p, plane.Viewer).CoreV1().Pods("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("the plane that was found cannot be read: %v", err)
	}
	if err := plane.Down(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := plane.Attach(t.Context(), dir); err == nil {
		t.Error("it was found after it was stopped")
	}
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	if err := plane.Down(dir); err != nil {
		t.Errorf("stopping what does not run: %v", err)
	}
}

func TestBuildNeedsPins(t *testing.T) {
	err := plane.Build(t.Context(), "v0.0.0", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "there is no test/kubernetes/v0.0.0/go.mod") {
		t.Errorf("the error does not say what is missing: %v", err)
	}
}

// processes are the programs that have the directory on their command line.
func processes(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte(dir)) {
			program, _, _ := bytes.Cut(line, []byte{0})
			found = append(found, filepath.Base(string(program)))
		}
	}
	return found
}
