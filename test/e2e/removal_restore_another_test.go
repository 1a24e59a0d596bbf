package e2e

import "testing"

// TestRestoreOfAnother restores copies of objects whose names belong to others now, and of one that is being deleted: each has all
// the finalizers of its copy.
func TestRestoreOfAnother(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "restore-another", "crates other dying\n")
	t.Run("another", func(t *testing.T) {
		file := s.contentOf(t, s.crate("other"))
		s.runScript(t, `kubectl patch -n $N crates.$G other --type=merge -p '{"metadata":{"finalizers":null}}'
kubectl delete -n $N crates.$G other
crates other`)
		mark := s.mark(t)
		out, _, code := s.restore(t, file, "--yes")
		wantOutput(t, code, 3, out, "Plan      refuse 1 object", "cannot be restored: another object has its name now")
		s.runScript(t, "kubectl delete -n $N crates.$G other --wait=false")
		out, _, code = s.restore(t, file, "--yes")
		wantOutput(t, code, 3, out, "cannot be restored: another object has its name now")
		s.wantNoWrites(t, mark)
	})
	t.Run("being deleted", func(t *testing.T) {
		file := s.contentOf(t, s.crate("dying"))
		s.runScript(t, "kubectl delete -n $N crates.$G dying --wait=false")
		mark := s.mark(t)
		out, _, code := s.restore(t, file, "--yes")
		wantOutput(t, code, 3, out, "cannot be restored: it is being deleted, which cannot be undone; it has all its", "finalizers")
		s.wantNoWrites(t, mark)
	})
}
