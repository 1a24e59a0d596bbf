//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/tracer"
)

// TestDiskFails lets each change of the disk fail once, with a disk that is full and with one that is broken: the program says so
// in one line, ends with an error, has written nothing to the cluster without a copy and a line in the audit file, and can be run again.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scene crashScene
		fault syscall.Errno
	}{
		"remove-full":   {crashScene{begin: removeOne, left: remainingCrates}, syscall.ENOSPC},
		"remove-broken": {crashScene{begin: removeOne, left: remainingCrates}, syscall.EIO},
		"restore":       {crashScene{begin: restoreTwo, left: unrestoredCrates}, syscall.EIO},
		"sweep":         {crashScene{begin: sweepTwo, left: remainingConfigMaps}, syscall.ENOSPC},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemoval(t, sharedPlane(t), "disk-"+name, "")
			for n, last := 1, false; !last && !t.Failed(); n++ {
				t.Run(fmt.Sprint(n), func(t *testing.T) {
					own := *s
					own.state = t.TempDir()
					last = test.scene.fail(t, &own, n, test.fault) < n
				})
			}
		})
	}
}

// fail lets the run with a number fail at the change of the disk with that number, and gives how many changes it made.
func (c crashScene) fail(t *testing.T, s *removalScene, n int, fault syscall.Errno) (changes int) {
	t.Helper()
	args := append(c.begin(t, s, n), "-n", s.namespace, "--yes")
	mark := s.mark(t)
	result, printed := s.trace(t, tracer.Trace{At: n, Fault: fault, Counts: isOnDisk}, args...)
	s.wantAudited(t, mark)
	s.wantCopies(t)
	if len(result.Effects) < n {
		if result.Code != 0 || len(c.left(t, s, n)) > 0 {
			t.Errorf("without a fault it ended with %d:\n%s", result.Code, printed)
		}
		return len(result.Effects)
	}
	t.Logf("%s failed:\n%s(%d)", result.Effects[n-1], printed, result.Code)
	if lines := strings.Count(printed, fault.Error()); result.Code != 1 || lines != 1 {
		t.Errorf("it ended with %d, and said %d times that there is %q", result.Code, lines, fault.Error())
	}
	if left := c.left(t, s, n); len(left) > 0 {
		if out, errOut, code := finalizers(t, s.env(plane.Admin), args...); code != 0 {
			t.Errorf("run again because of %v, it ended with %d: %s%s", left, code, out, errOut)
		}
		s.wantAudited(t, mark)
		s.wantCopies(t)
	}
	if left := c.left(t, s, n); len(left) > 0 {
		t.Errorf("it is not finished with %v", left)
	}
	return n
}
