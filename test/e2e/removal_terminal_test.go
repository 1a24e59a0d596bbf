package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// outputBuffer is what a terminal shows so far.
type outputBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *outputBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *outputBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// terminalCommand is the plugin at a terminal of its own.
func (s *removalScene) terminalCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("script")
	if err != nil {
		t.Skip("there is no script(1) to make a terminal with")
	}
	path, err := filepath.Abs(plugin)
	if err != nil {
		t.Fatal(err)
	}
	line := "exec " + strings.Join(append([]string{path}, args...), " ") // or the shell would answer ^C too, with a code of its own
	command := exec.CommandContext(t.Context(), program, "-qefc", line, os.DevNull)
	command.Env = s.env(plane.Admin)
	return command
}

// runAtTerminal runs the plugin at a terminal until it asks, and then does something.
func (s *removalScene) runAtTerminal(t *testing.T, then func(*exec.Cmd, io.WriteCloser), args ...string) (text string, code int) {
	t.Helper()
	command := s.terminalCommand(t, args...)
	var shown outputBuffer
	command.Stdout, command.Stderr = &shown, &shown
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if !strings.Contains(shown.String(), ") to continue: ") {
			return fmt.Errorf("it has not asked yet: %s", shown.String())
		}
		return nil
	})
	then(command, in)
	if err := command.Wait(); err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("$ kubectl finalizers %s\n%s(%d)", strings.Join(args, " "), shown.String(), command.ProcessState.ExitCode())
	return shown.String(), command.ProcessState.ExitCode()
}

func typeInput(text string) func(*exec.Cmd, io.WriteCloser) {
	return func(_ *exec.Cmd, in io.WriteCloser) { _, _ = io.WriteString(in, text) } // the exit code tells
}

// TestRemovalAtATerminal answers the question in all ways.
func TestRemovalAtATerminal(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "terminal", "crates a b"+deleted)
	args := []string{"force-remove", "ns/" + s.namespace, "--accept-leaks"}
	for name, test := range map[string]struct {
		then func(*exec.Cmd, io.WriteCloser)
		says string
	}{
		"the wrong name": {typeInput("removal-shop\n"), "nothing was changed"},
		"nothing":        {typeInput("\n"), "nothing was changed"},
		"end of input":   {typeInput("\x04"), "nothing was changed"},
		"interrupted":    {typeInput("\x03"), "nothing was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			mark := s.mark(t)
			text, code := s.runAtTerminal(t, test.then, args...)
			wantOutput(t, code, 3, text, "Cluster   ", "crate."+s.group+"/a, crate."+s.group+"/b -n "+s.namespace, "This cannot be undone. Type the name of the target ("+s.namespace+") to continue: ", test.says)
			s.wantNoWrites(t, mark)
			if left, _ := filepath.Glob(filepath.Join(s.state, "kubectl-finalizers", "*", "*")); len(left) > 0 {
				t.Errorf("it left %v behind", left)
			}
		})
	}
	// Nobody is to type a name for nothing.
	t.Run("nowhere to save", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := s.terminalCommand(t, append(args, "--backup-dir", filepath.Join(file, "below"))...).CombinedOutput()
		if err == nil || strings.Contains(string(out), ") to continue: ") {
			t.Errorf("it asks (%v)", err)
		}
		wantWords(t, string(out), []string{"nothing was changed", "choose another folder with --backup-dir"})
	})
	t.Run("closed", func(t *testing.T) {
		mark := s.mark(t)
		s.runAtTerminal(t, func(c *exec.Cmd, _ io.WriteCloser) { _ = c.Process.Kill() }, args...)
		s.wantNoWrites(t, mark)
	})
	t.Run("the right name", func(t *testing.T) {
		text, code := s.runAtTerminal(t, typeInput(s.namespace+"\n"), args...)
		wantOutput(t, code, 0, text, "2 of 2 sent as a dry run", "2 of 2 done", "waiting for namespace/"+s.namespace+" to be deleted",
			"Finalizers removed from 2 of 2 objects (", "namespace/"+s.namespace+" is deleted.")
	})
}

// TestRemovalNeedsRoom saves copies where there is no room for them.
func TestRemovalNeedsRoom(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "room", `crates a
printf '{"apiVersion":"%s/v1","kind":"Crate","metadata":{"name":"big","namespace":"%s","finalizers":["%s/hold"]},"spec":{"text":"%s"}}' \
  $G $N $G $(head -c 60000 /dev/zero | tr '\0' x) | kubectl create -f -
kubectl delete -n $N crates.$G --all --wait=false
`)
	args := []string{"force-remove", s.crate("a"), s.crate("big"), "-n", s.namespace, "--accept-leaks", "--yes"}
	mark := s.mark(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, errOut, code := finalizers(t, s.env(plane.Admin), append(args, "--backup-dir", filepath.Join(file, "below"))...)
	wantOutput(t, code, 1, errOut, "nothing was changed", "choose another folder with --backup-dir")
	s.wantNoWrites(t, mark)

	limited := func(blocks int) (string, int) {
		line := fmt.Sprintf("trap '' XFSZ; ulimit -f %d; exec %s %s", blocks, plugin, strings.Join(args, " "))
		command := exec.CommandContext(t.Context(), "sh", "-c", line)
		command.Env = s.env(plane.Admin)
		out, err := command.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		t.Logf("with room for %d blocks\n%s", blocks, out)
		return string(out), command.ProcessState.ExitCode()
	}
	text, code := limited(1)
	wantOutput(t, code, 1, text, "nothing was changed", "choose another folder with --backup-dir")
	s.wantNoWrites(t, mark)
	text, code = limited(64)
	wantOutput(t, code, 1, text, "Finalizers removed from 1 of 2 objects; 1 failed", "crate."+s.group+"/big -n "+s.namespace+" failed: saving a copy")
	if done, _ := s.writes(t, mark); len(done) != 1 || !strings.Contains(done[0], s.path("a")) {
		t.Errorf("written: %v", done)
	}
}

// TestRemovalPrints looks at what scripts get.
func TestRemovalPrints(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "prints", "crates a b\nkubectl delete -n $N crates.$G a b --wait=false\n")
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "-o", "yaml")
	wantOutput(t, code, 0, out, "kind: RemovalResult", "outcome: Done", "copy: ", "remaining: []", "server: https://", "context: ")
	out, errOut, code := s.remove(t, s.crate("b"), "-n", s.namespace, "--yes", "-o", "name")
	wantOutput(t, code, 3, errOut, "would leave behind something unknown", "--accept-leaks", "nothing was changed")
	if out != "" {
		t.Errorf("it prints %q", out)
	}
	out, _, code = s.remove(t, s.crate("b"), "-n", s.namespace, "--accept-leaks", "--yes", "-o", "name")
	wantOutput(t, code, 0, out)
	if out != "crate."+s.group+"/b\n" {
		t.Errorf("it prints %q", out)
	}
}
