package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// alsoHeld is one more finalizer for the crates d, e and f.
const alsoHeld = `
for name in d e f; do
  kubectl patch -n $N crates.$G $name --type=json -p '[{"op":"add","path":"/metadata/finalizers/-","value":"late.example.com/hold"}]'
done
`

// TestTwoRemovals removes a finalizer from the same objects twice at the same time: from some that are deleted with it, and
// from some that have another one. The API server ignores that an object whose last finalizer is removed was deleted meanwhile
// (deleteWithoutFinalizers in k8s.io/apiserver/pkg/registry/generic/registry/store.go), and accepts both writes.
func TestTwoRemovals(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "two", "crates a b c d e f\n"+alsoHeld+"kubectl delete -n $N crates.$G --all --wait=false\n")
	args := []string{"force-remove", "--accept-leaks", "--finalizer", s.group + "/hold", "--wait=false", "--record-event"}
	for name := range strings.FieldsSeq("a b c d e f") {
		args = append(args, s.crate(name))
	}
	mark := s.mark(t)
	runs := s.runTogether(t, args, args, nil)
	for name := range strings.FieldsSeq("a b c d e f") {
		n := runs[0].written[name] + runs[1].written[name]
		if n != 1 && (n != 2 || name >= "d") { // of the two that remove the last finalizer, the API server may accept both
			t.Errorf("%s was written %d times", name, n)
		}
		for i, run := range runs {
			want := map[int]removal.Outcome{0: removal.Gone, 1: removal.Done}[run.written[name]]
			if got := run.items[name]; got.Outcome != string(want) {
				t.Errorf("run %d has written %s %d times, and says %s: %s", i+1, name, run.written[name], got.Outcome, got.Message)
			}
		}
		if got, want := s.get(t, s.crate(name), "{.metadata.finalizers[*]}"), map[bool]string{true: "late.example.com/hold"}[name >= "d"]; got != want {
			t.Errorf("the finalizers of %s are %q, want %q", name, got, want)
		}
		if events := s.eventsAbout(t, s.namespace, name); strings.Count(events, name+" 1: ") != n {
			t.Errorf("events about %s: %q", name, events)
		}
	}
	for i, run := range runs {
		if run.code != 0 {
			t.Errorf("run %d ended with %d", i+1, run.code)
		}
	}
	s.wantAudited(t, mark)
	s.wantRunsOnRecord(t, 2, 6)
}

// TestTwoRestores restores the same copies twice at the same time: of objects that were deleted, and of some that exist.
func TestTwoRestores(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "two-restores", "crates a b c d e f\n")
	folder := s.saveCrates(t, "a b c d e f")
	s.runScript(t, "kubectl patch -n $N crates.$G a b c d e f --type=merge -p '{\"metadata\":{\"finalizers\":null}}'\nkubectl delete -n $N crates.$G a b c\n")
	mark := s.mark(t)
	runs := s.runTogether(t, []string{"restore", folder}, []string{"restore", folder}, nil)
	for name := range strings.FieldsSeq("a b c d e f") {
		if n := runs[0].written[name] + runs[1].written[name]; n != 1 {
			t.Errorf("%s was written %d times", name, n)
		}
		for i, run := range runs {
			want := map[int]removal.Outcome{0: removal.Failed, 1: removal.Done}[run.written[name]]
			if got := run.items[name]; got.Outcome != string(want) || want == removal.Failed && !strings.Contains(got.Message, "already exists") && !strings.Contains(got.Message, "it changed before the write") {
				t.Errorf("run %d has written %s %d times, and says %s: %s", i+1, name, run.written[name], got.Outcome, got.Message)
			}
		}
		if got := s.get(t, s.crate(name), "{.metadata.finalizers[*]} {.spec.size}"); got != s.group+"/hold 3" {
			t.Errorf("%s is %q", name, got)
		}
	}
	for i, run := range runs {
		if want := map[bool]int{true: 0, false: 1}[len(run.written) == 6]; run.code != want {
			t.Errorf("run %d has restored %d objects and ended with %d", i+1, len(run.written), run.code)
		}
	}
	s.wantAudited(t, mark)
	s.wantRunsOnRecord(t, 1, 6) // both write to the audit file beside the copies
}

// TestRemovalDuringRestore removes the finalizers of objects while copies are restored that have the same names. Which write
// comes first is not known: each run says what has become of its own.
func TestRemovalDuringRestore(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "removal-restore", "crates a b c d\n")
	folder := s.saveCrates(t, "a b c d")
	s.runScript(t, "kubectl patch -n $N crates.$G a b c d --type=merge -p '{\"metadata\":{\"finalizers\":null}}'\nkubectl delete -n $N crates.$G a b c d\n")
	mark := s.mark(t)
	remove := []string{"force-remove", "--accept-leaks", "--wait=false", s.crate("a"), s.crate("b"), s.crate("c"), s.crate("d")}
	runs := s.runTogether(t, []string{"restore", folder}, remove, func() {
		s.runScript(t, "crates a b c d\nkubectl delete -n $N crates.$G a b c d --wait=false\n")
	})
	for name := range strings.FieldsSeq("a b c d") {
		restored, removed := runs[0].items[name], runs[1].items[name]
		if removed.Outcome != string(removal.Done) || runs[1].written[name] != 1 {
			t.Errorf("%s was removed %d times: %+v", name, runs[1].written[name], removed)
		}
		got := s.get(t, s.crate(name), "{.metadata.finalizers[*]} {.metadata.deletionTimestamp}")
		switch runs[0].written[name] {
		case 1:
			if restored.Outcome != string(removal.Done) || got != s.group+"/hold " {
				t.Errorf("%s was restored, is %q and is said to be %+v", name, got, restored)
			}
		default:
			if restored.Outcome != string(removal.Failed) || !strings.Contains(restored.Message, "already exists") || got != "" {
				t.Errorf("%s was not restored, is %q and is said to be %+v", name, got, restored)
			}
		}
	}
	s.wantAudited(t, mark)
	s.wantRunsOnRecord(t, 2, 4)
}

// saveCrates saves copies of crates as if they had been saved by a run of force-remove, and gives its folder.
func (s *removalScene) saveCrates(t *testing.T, names string) (folder string) {
	t.Helper()
	folder = filepath.Join(s.state, "kubectl-finalizers", "plane", "20260101T000000Z")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(names) {
		out, errOut, code := kubectl(t, s.p, plane.Admin, "get", "-n", s.namespace, s.crate(name), "-o", "yaml")
		if code != 0 {
			t.Fatal(errOut)
		}
		s.saveCopy(t, folder, name+".yaml", strings.Replace(out, "metadata:\n", "metadata:\n  deletionTimestamp: \"2026-01-01T00:00:00Z\"\n", 1))
	}
	return folder
}

// TestTwoSweeps deletes the same objects twice at the same time: those that are deleted, and then those that a finalizer holds.
func TestTwoSweeps(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "two-sweeps", `
for name in a b c; do kubectl create configmap $name -n $N; done
for name in d e f; do printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","namespace":"%s","finalizers":["sweep.example.com/hold"]}}' $name $N | kubectl create -f -; done
kubectl label configmap -n $N a b c sweep=deleted
kubectl label configmap -n $N d e f sweep=held
`)
	for label, want := range map[string]sweep.Result{"deleted": sweep.Deleted, "held": sweep.Stuck} {
		args := []string{"sweep", "configmaps", "-l", "sweep=" + label, "--stall=1s"}
		runs := s.runTogether(t, args, args, nil)
		for name := range strings.FieldsSeq(map[string]string{"deleted": "a b c", "held": "d e f"}[label]) {
			if n := runs[0].written[name] + runs[1].written[name]; n != 1 {
				t.Errorf("%s was deleted %d times", name, n)
			}
			for i, run := range runs {
				if got := run.items[name]; got.Result != string(want) {
					t.Errorf("run %d says that %s is %s, want %s: %s", i+1, name, got.Result, want, got.Message)
				}
			}
		}
	}
	s.wantAuditPaired(t)
	document, code := sweepDocument(t, s.p, s.state, "configmaps", "-l", "sweep=held", "--stall=1s", "-n", s.namespace, "--yes")
	if code != 2 || len(document.Items) != 3 {
		t.Errorf("the next sweep ended with %d and finds %d objects", code, len(document.Items))
	}
	for _, item := range document.Items {
		if item.Sweeps != 2 {
			t.Errorf("%s was left by %d sweeps: the two at the same time are one", item.Metadata.Name, item.Sweeps)
		}
	}
	s.runScript(t, "kubectl patch configmap -n $N d e f --type=merge -p '{\"metadata\":{\"finalizers\":null}}'\n")
}
