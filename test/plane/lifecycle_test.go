package plane_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

func TestControllerManagerStopsAndStarts(t *testing.T) {
	p := start(t, plane.Options{})
	if err := p.Stop(t.Context(), plane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	leases := client(t, p, plane.Admin).CoordinationV1().Leases("kube-system")
	before, err := leases.Get(t.Context(), plane.ControllerManager, meta.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context(), plane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	after, err := leases.Get(t.Context(), plane.ControllerManager, meta.GetOptions{})
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
	command.Env = append(os.Environ(), orphan+"="+dir)
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
	for deadline := time.Now().Add(10 * time.Second); len(processes(t, dir)) > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("still running: %v", processes(t, dir))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestDetachedPlaneIsFoundAndStopped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plane")
	if _, err := plane.Start(t.Context(), plane.Options{Dir: dir, Detached: true}); err != nil {
		t.Fatal(err)
	}
	if config, alive := plane.Alive(t.Context(), dir); !alive || config == "" {
		t.Errorf("Alive = %q, %t for a plane that runs", config, alive)
	}
	if err := plane.Down(dir); err != nil {
		t.Fatal(err)
	}
	if _, alive := plane.Alive(t.Context(), dir); alive {
		t.Error("it is alive after it was stopped")
	}
	if left := processes(t, dir); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
	if err := plane.Down(dir); err != nil {
		t.Errorf("stopping what does not run: %v", err)
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
