package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// fightTime is how long a command may take that somebody works against: it gives up after half a minute, and the machine is busy.
const fightTime = 3 * time.Minute

// keepChanging changes an object every 50 ms until the test ends, and gives how often it has.
func keepChanging(t *testing.T, where dynamic.ResourceInterface, name string) *atomic.Int64 {
	t.Helper()
	changes := &atomic.Int64{}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"example.com/changes":"%d"}}}`, changes.Load())
			if _, err := where.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err == nil {
				changes.Add(1)
			}
			return false, nil
		}) // it ends with the test
	}()
	t.Cleanup(func() { stop(); <-done })
	return changes
}

// TestRemovalOfWhatKeepsChanging removes finalizers of an object and of a namespace that somebody changes every 50 ms: it says
// whether it has.
func TestRemovalOfWhatKeepsChanging(t *testing.T) {
	t.Parallel()
	t.Run("object", func(t *testing.T) {
		t.Parallel()
		s := newRemoval(t, sharedPlane(t), "changing", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
		changes, began := keepChanging(t, s.crates(t), "a"), time.Now()
		out, errOut, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--wait=false")
		if took := time.Since(began); took > fightTime || changes.Load() == 0 {
			t.Errorf("it took %s, while there were %d changes", took, changes.Load())
		}
		exists := s.get(t, s.crate("a"), "{.metadata.name}") != ""
		if exists != (code == 3) || exists != strings.Contains(out+errOut, "it changed") || !exists && code != 0 {
			t.Errorf("the object exists: %t, and it ended with %d", exists, code)
		}
	})
	t.Run("namespace", func(t *testing.T) {
		t.Parallel()
		s := newRemoval(t, sharedPlane(t), "changing-ns", `kubectl create -f - <<END
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"tenant-$N"},"spec":{"finalizers":["kubernetes","tenants.example.com/offboard"]}}
END
N=tenant-$N; crates a`+deleted)
		s.namespace = "tenant-" + s.namespace
		changes, began := keepChanging(t, s.namespaces(t), s.namespace), time.Now()
		out, _, code := s.remove(t, "ns/"+s.namespace, "--finalizer", "tenants.example.com/offboard", "--override-verdict", "--accept-leaks", "--yes", "--wait=false")
		if took := time.Since(began); took > fightTime || changes.Load() == 0 {
			t.Errorf("it took %s, while there were %d changes", took, changes.Load())
		}
		removed := s.get(t, "ns/"+s.namespace, "{.spec.finalizers[*]}") == "kubernetes"
		if removed != (code == 0) || removed != strings.Contains(out, "removed from 1 of ") {
			t.Errorf("the finalizer is removed: %t, and it ended with %d", removed, code)
		}
		s.wantAuditPaired(t)
	})
}

// TestRemovalOfWhatChangesDuringTheDryRun changes an object, or puts another in its place, just before the dry run of its removal:
// the plan is of what was seen, so nothing of it is done.
func TestRemovalOfWhatChangesDuringTheDryRun(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "changes-once", "crates a b other\nkubectl delete -n $N crates.$G --all --wait=false\n")
	for name, change := range map[string]string{
		"a": "kubectl annotate -n $N crates.$G a example.com/changes=1",
		"b": "kubectl patch -n $N crates.$G b --type=merge -p '{\"metadata\":{\"finalizers\":null}}'\ncrates b",
	} {
		t.Run(name, func(t *testing.T) {
			var changed sync.Once
			address := startProxy(t, s.p, func(_ http.ResponseWriter, r *http.Request) bool {
				if isProof(r) {
					changed.Do(func() { s.runScript(t, change) })
				}
				return false
			})
			mark := s.mark(t)
			out, errOut, code := s.remove(t, s.crate(name), s.crate("other"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
			wantOutput(t, code, 3, out+errOut, "it changed during the dry run", "run the command again", "nothing was changed")
			if done, _ := s.writes(t, mark); len(done) > 0 {
				t.Errorf("written: %v", done)
			}
		})
	}
}

// afterWrites is a proxy that calls do with the name of an object after each write that the API server accepts.
func (s *removalScene) afterWrites(t *testing.T, do func(name string)) (address string) {
	t.Helper()
	proxy := reverseProxy(t, s.p)
	proxy.ModifyResponse = func(r *http.Response) error {
		name, err := writtenObject(r)
		if name != "" {
			do(name)
		}
		return err
	}
	return serveProxy(t, proxy, hideEncodings)
}

// TestRemovalOfWhatComesBack recreates each object as soon as its finalizer is removed: the new object is left alone.
func TestRemovalOfWhatComesBack(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "comes-back", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	crates := s.crates(t)
	address := s.afterWrites(t, func(name string) {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": "Crate"}}
		object.SetName(name)
		object.SetFinalizers([]string{s.group + "/hold"})
		if _, err := crates.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
	})
	mark := s.mark(t)
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
	wantOutput(t, code, 0, out, "crate."+s.group+"/a -n "+s.namespace+" done: deleted; a new object has its name", "removed from 1 of 1 object")
	if done, _ := s.writes(t, mark); len(done) != 1 {
		t.Errorf("written: %v", done)
	}
	if got := s.get(t, s.crate("a"), "{.metadata.finalizers[*]} {.metadata.deletionTimestamp}"); got != s.group+"/hold " {
		t.Errorf("the new object is %q", got)
	}
}

// TestRestoreOfWhatIsUndone removes what restore has just written: the finalizer of an object that was recreated and of one that
// exists, and an object itself.
func TestRestoreOfWhatIsUndone(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "undone", "crates a b c d\n")
	folder := s.saveCrates(t, "a b c d")
	s.runScript(t, "kubectl patch -n $N crates.$G a b c d --type=merge -p '{\"metadata\":{\"finalizers\":null}}'\nkubectl delete -n $N crates.$G a b\n")
	crates := s.crates(t)
	address := s.afterWrites(t, func(name string) {
		if name == "d" {
			return // nobody works against this one
		}
		if _, err := crates.Patch(t.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			t.Error(err)
		}
		if name == "b" {
			if err := crates.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
	})
	out, errOut, code := s.restore(t, folder, "--yes", "--server", address)
	again := " -n " + s.namespace + " failed: written, but " + s.group + "/hold was removed again"
	wantOutput(t, code, 1, out+errOut, "crate."+s.group+"/a"+again, "crate."+s.group+"/c"+again,
		"crate."+s.group+"/b -n "+s.namespace+" failed: written, but it was deleted again", "Restored 1 of 4 objects")
	for _, e := range s.auditEntries(t) {
		if e.Result == "restored" && e.Object != "crate."+s.group+"/d" {
			t.Errorf("the audit file says that %s is restored", e.Object)
		}
	}
	if last := s.get(t, s.crate("d"), "{.metadata.finalizers[*]}"); last != s.group+"/hold" {
		t.Errorf("the finalizers of d are %q", last)
	}
}
