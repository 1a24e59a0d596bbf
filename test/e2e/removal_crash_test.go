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
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/tracer"
)

// maxEffects is more effects than any run has that is played here.
const maxEffects = 1000

// crashScene is a command that is killed at each of its effects, and run again.
type crashScene struct {
	// counts are the effects at which it is killed, all where it is nil: those of other scenes need not be tried again.
	counts func(tracer.Effect) bool
	// begin makes what the run with a number works on, and gives the command.
	begin func(t *testing.T, s *removalScene, n int) (args []string)
	// left are the objects with which it is not finished.
	left func(t *testing.T, s *removalScene, n int) []string
}

// TestCrashes kills force-remove, restore and sweep at every effect that they have, and runs them again.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]crashScene{
		"object":    {begin: removeOne, left: remainingCrates},
		"objects":   {begin: removeTwo, left: remainingCrates, counts: isOfObjects},
		"namespace": {begin: removeFromNamespace, left: heldNamespaces, counts: isOfWrites},
		"event":     {begin: removeWithEvent, left: remainingCrates, counts: isOfEvents},
		"restore":   {begin: restoreTwo, left: unrestoredCrates},
		"sweep":     {begin: sweepTwo, left: remainingConfigMaps, counts: persists},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemoval(t, sharedPlane(t), "crashes-"+name, "")
			for n, last := 1, false; !last && !t.Failed(); n++ {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					own := *s
					own.state = t.TempDir()
					last = scene.play(t, &own, n) < n
				})
			}
		})
	}
}

// play lets the run with a number be killed at the effect with that number, and gives how many effects it had.
func (c crashScene) play(t *testing.T, s *removalScene, n int) (effects int) {
	t.Helper()
	args := append(c.begin(t, s, n), "-n", s.namespace, "--yes")
	mark := s.mark(t)
	result, printed := s.trace(t, tracer.Trace{At: n, Counts: c.counts}, args...)
	switch found := result.Effects; {
	case len(found) == 0:
		t.Errorf("it changed nothing:\n%s", printed)
	case len(found) == n:
		t.Logf("it was killed at %s", found[n-1])
	default:
		t.Logf("it ended by itself after %d effects: %s\n%s", len(found), found, printed)
	}
	s.wantAudited(t, mark)
	s.wantCopies(t)
	if left := c.left(t, s, n); len(left) > 0 {
		out, errOut, code := finalizers(t, s.env(plane.Admin), args...)
		if code != 0 {
			t.Errorf("run again because of %v, it ended with %d: %s%s", left, code, out, errOut)
		}
		s.wantAudited(t, mark)
		s.wantCopies(t)
	}
	if left := c.left(t, s, n); len(left) > 0 {
		t.Errorf("it is not finished with %v", left)
	}
	if n > maxEffects {
		t.Fatal("its effects have no end")
	}
	return len(result.Effects)
}

// trace runs the plugin and traces what it does to the folder of the scene and sends to the API server.
func (s *removalScene) trace(t *testing.T, trace tracer.Trace, args ...string) (result tracer.Result, printed string) {
	t.Helper()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	// Without TLS a write can be told from a read.
	address := startProxy(t, s.p, func(http.ResponseWriter, *http.Request) bool { return false })
	command := exec.CommandContext(t.Context(), plugin, append(args, "--server", address)...)
	command.Env, command.Stdout, command.Stderr = s.env(plane.Admin), output, output
	trace.Folder = s.state
	result, err = trace.Run(command)
	if errors.Is(err, tracer.ErrNotPermitted) && os.Getenv("TEST_TOOLS") != "all" || errors.Is(err, tracer.ErrNoFaults) {
		t.Skip(err)
	}
	_, seekErr := output.Seek(0, io.SeekStart)
	text, readErr := io.ReadAll(output)
	if err := errors.Join(err, seekErr, readErr, output.Close()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return result, string(text)
}

// wantCopies expects that each write to an object that has begun has a whole copy, by the audit files. Together with wantAudited
// it holds that the API server saw no write without one.
func (s *removalScene) wantCopies(t *testing.T) {
	t.Helper()
	verified := map[string]string{}
	for _, file := range s.savedCopies(t) {
		saved, _, err := removal.LoadSavedCopies(file)
		if err != nil {
			t.Error(err)
		}
		for _, each := range saved {
			if each.Verified {
				verified[filepath.Base(each.File)] = string(each.Object.GetUID())
			}
		}
	}
	for _, e := range s.auditEntries(t) {
		if len(e.Overrides) > 0 && !strings.HasPrefix(e.Request, "POST ") && verified[e.Copy] != e.UID {
			t.Errorf("%s has begun, and its copy %q is not whole", e.Request, e.Copy)
		}
	}
}

// persists reports whether an effect is more than a question to the API server.
func persists(e tracer.Effect) bool {
	return !strings.Contains(e.Target, "dryRun=All") && !strings.Contains(e.Target, "/selfsubject")
}

// isOfObjects reports whether an effect is not one with which the folder of a run is made.
func isOfObjects(e tracer.Effect) bool {
	return persists(e) && e.Call != "mkdir" && !strings.Contains(e.Target, "/.probe")
}

// isOfWrites reports whether an effect is a write or one on the audit file.
func isOfWrites(e tracer.Effect) bool {
	return persists(e) && (!isOnDisk(e) || strings.HasSuffix(e.Target, "/"+removal.AuditFile))
}

// create creates an object for a test.
func create(t *testing.T, where dynamic.ResourceInterface, apiVersion, kind, name string, fields map[string]any, finalizers ...string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	for field, value := range fields {
		object.Object[field] = value
	}
	object.SetName(name)
	object.SetFinalizers(finalizers)
	created, err := where.Create(t.Context(), object, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// existing are the names of those objects that exist.
func existing(t *testing.T, where dynamic.ResourceInterface, names ...string) []string {
	t.Helper()
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := where.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
		return err != nil
	})
}
