package e2e

import (
	"encoding/json"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

// TestRestoreOfSeveralRuns names no run: they are listed, and at a terminal one is chosen.
func TestRestoreOfSeveralRuns(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "runs", "crates old new\nkubectl delete -n $N crates.$G --all --wait=false\n")
	for _, name := range []string{"old", "new"} {
		out, _, code := s.remove(t, s.crate(name), "-n", s.namespace, "--accept-leaks", "--yes")
		wantOutput(t, code, 0, out, "removed from 1 of ")
	}
	mark := s.mark(t)
	_, errOut, code := s.restore(t, "--yes")
	wantOutput(t, code, 3, errOut, "NUMBER  TIME", "holds 2 runs, so nothing was changed: name one", "\n  kubectl finalizers restore "+s.state+"/kubectl-finalizers/")
	s.wantNoWrites(t, mark)

	text, code := s.runAtTerminal(t, typeInput("2\n"), "restore", "--yes")
	wantOutput(t, code, 0, text, "Restored 1 of 1 object")
	if s.get(t, s.crate("old"), "{.metadata.finalizers[*]}") != s.group+"/hold" || s.get(t, s.crate("new"), "{.metadata.name}") != "" {
		t.Error("it did not restore the older run alone")
	}

	text, code = s.runAtTerminal(t, typeInput("3\n"), "restore", "--yes")
	wantOutput(t, code, 3, text, "nothing was changed")

	for _, path := range s.savedCopies(t) {
		out, _, code := s.restore(t, path, "--dry-run=server", "-o", "json")
		wantOutput(t, code, 0, out)
		var plan report.RestoreDocument
		if err := json.Unmarshal([]byte(out), &plan); err != nil || plan.Kind != "RestorePlan" || len(plan.Items) != 1 {
			t.Fatalf("it prints %s (%v)", out, err)
		}
		if action := plan.Items[0].Action; action != "Recreate" && action != "None" || (action == "Recreate") != (plan.Token != "") {
			t.Errorf("%s, token %q", action, plan.Token)
		}
	}
}
