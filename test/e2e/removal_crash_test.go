//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/tracer"
)

// maxEffects is more effects than any run has that is played here.
const maxEffects = 1000

// TestRemovalCrashes kills force-remove at every effect that it has, and runs it again.
func TestRemovalCrashes(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	forEachEffect(t, newRemoval(t, p, "crashes", ""), func(t *testing.T, s *removalScene, n int) (effects int) {
		name := fmt.Sprintf("c%d", n)
		s.runScript(t, "crates "+name+"\nkubectl delete -n $N crates.$G "+name+" --wait=false\n")
		args := []string{"force-remove", s.crate(name), "-n", s.namespace, "--accept-leaks", "--yes"}
		mark := s.mark(t)
		effects = s.crashAt(t, n, args...)
		s.wantAudited(t, mark)
		s.wantSavedIfGone(t, name)
		if s.exists(t, name) {
			out, errOut, code := s.remove(t, args[1:]...)
			wantOutput(t, code, 0, out+errOut)
		}
		s.wantAudited(t, mark)
		s.wantSavedIfGone(t, name)
		if s.exists(t, name) {
			t.Errorf("%s still exists", name)
		}
		return effects
	})
}

// TestRestoreCrashes kills restore at every effect that it has, and runs it again.
func TestRestoreCrashes(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	forEachEffect(t, newRemoval(t, p, "restore-crashes", ""), func(t *testing.T, s *removalScene, n int) (effects int) {
		name := fmt.Sprintf("c%d", n)
		s.runScript(t, "crates "+name+"\nkubectl delete -n $N crates.$G "+name+" --wait=false\n")
		out, _, code := s.remove(t, s.crate(name), "-n", s.namespace, "--accept-leaks", "--yes")
		wantOutput(t, code, 0, out, "removed from 1 of ")
		folder := filepath.Dir(s.savedCopies(t)[0])
		mark := s.mark(t)
		effects = s.crashAt(t, n, "restore", folder, "--yes")
		s.wantAudited(t, mark)
		if !s.exists(t, name) {
			out, errOut, code := s.restore(t, folder, "--yes")
			wantOutput(t, code, 0, out+errOut)
		}
		s.wantAudited(t, mark)
		if got := s.get(t, s.crate(name), "{.spec.size}"); got != "3" {
			t.Errorf("what was restored has size %q", got)
		}
		return effects
	})
}

// forEachEffect calls play for the first effect, the second, and so on, until one is beyond the last.
func forEachEffect(t *testing.T, s *removalScene, play func(t *testing.T, s *removalScene, n int) (effects int)) {
	t.Helper()
	for n, last := 1, false; !last && !t.Failed(); n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			own := *s
			own.state = t.TempDir()
			last = play(t, &own, n) < n
		})
	}
}

// crashAt runs the plugin until it begins its nth effect.
func (s *removalScene) crashAt(t *testing.T, n int, args ...string) (effects int) {
	t.Helper()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	// Without TLS a write can be told from a read.
	address := startProxy(t, s.p, func(http.ResponseWriter, *http.Request) bool { return false })
	command := exec.CommandContext(t.Context(), plugin, append(args, "--server", address)...)
	command.Env, command.Stdout, command.Stderr = s.env(plane.Admin), output, output
	found, err := tracer.Run(command, s.state, n)
	if errors.Is(err, tracer.ErrNotPermitted) {
		t.Skip(err)
	}
	_, seekErr := output.Seek(0, io.SeekStart)
	printed, readErr := io.ReadAll(output)
	if err := errors.Join(err, seekErr, readErr, output.Close()); err != nil {
		t.Fatal(err)
	}
	switch {
	case len(found) == 0:
		t.Errorf("it changed nothing:\n%s", printed)
	case len(found) >= n:
		t.Logf("it was killed at %s", found[len(found)-1])
	default:
		t.Logf("it ended by itself after %d effects: %s\n%s", len(found), found, printed)
	}
	if n > maxEffects {
		t.Fatal("its effects have no end")
	}
	return len(found)
}

// exists reports whether there is a crate of a name.
func (s *removalScene) exists(t *testing.T, name string) bool {
	t.Helper()
	return s.get(t, s.crate(name), "{.metadata.name}") != ""
}

// wantSavedIfGone expects a whole copy of a crate that no longer exists.
func (s *removalScene) wantSavedIfGone(t *testing.T, name string) {
	t.Helper()
	if s.exists(t, name) {
		return
	}
	for _, file := range s.savedCopies(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), "name: "+name+"\n") && strings.Contains(string(content), "size: 3") {
			return
		}
	}
	t.Errorf("%s is gone, and there is no whole copy of it: %v", name, s.savedCopies(t))
}
