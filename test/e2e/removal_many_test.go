package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// createDeleting makes many crates that are being deleted: each by a request of its own, since one for all takes longer than
// the API server lets a request take when the machine is busy.
func (s *removalScene) createDeleting(t *testing.T, n int) {
	t.Helper()
	crates := s.crates(t)
	var group errgroup.Group
	group.SetLimit(16)
	for i := range n {
		group.Go(func() error {
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": "Crate"}}
			object.SetName(fmt.Sprintf("crate-%04d", i))
			object.SetFinalizers([]string{s.group + "/hold"})
			if _, err := crates.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
				return err
			}
			return crates.Delete(t.Context(), object.GetName(), metav1.DeleteOptions{})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// readsOfObjects counts the reads of single objects of the scene by the plugin.
func (s *removalScene) readsOfObjects(t *testing.T, since plane.Mark) (n int) {
	t.Helper()
	requests, err := s.p.Requests(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		if r.Verb == "get" && strings.HasPrefix(r.UserAgent, "kubectl-finalizers/") && strings.Contains(r.URI, "/"+s.group+"/") {
			n++
		}
	}
	return n
}

// replyForbidden answers in the place of the API server that a write is forbidden.
func replyForbidden(w http.ResponseWriter) {
	reply(w, http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"not this one"}`)
}

func reply(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body)) // whoever hangs up has heard enough
}

// gcLine is what the Go runtime reports of each garbage collection with GODEBUG=gctrace=1: the heap before, after, and what
// of it is in use, in MB.
var gcLine = regexp.MustCompile(`(?m)^gc \d+ @.* \d+->\d+->(\d+) MB, `)

// peakLiveHeap is the most memory in MB that any garbage collection found in use. The resident size of the process tells
// something else: Linux counts that of the parent before exec, which is this test with all that runs beside it, and the
// program's own file.
func peakLiveHeap(t *testing.T, trace string) int {
	t.Helper()
	collections := gcLine.FindAllStringSubmatch(trace, -1)
	if len(collections) == 0 {
		t.Fatalf("no garbage collection is reported in:\n%s", trace)
	}
	peak := 0
	for _, collection := range collections {
		live, err := strconv.Atoi(collection[1])
		if err != nil {
			t.Fatal(err)
		}
		peak = max(peak, live)
	}
	return peak
}

// manyCount is how many objects TestRemovalOfMany frees. 5,000 take their time: go test -run OfMany -many 5000.
var manyCount = flag.Int("many", 1000, "how many objects TestRemovalOfMany frees")

// TestRemovalOfMany frees a namespace of a thousand objects, of which one cannot be written at first.
func TestRemovalOfMany(t *testing.T) {
	t.Parallel()
	n := *manyCount
	s := newRemoval(t, sharedPlane(t), "many", "")
	s.createDeleting(t, n)
	s.runScript(t, deleted)
	address := startProxy(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		if !isPersistedWrite(r) || !strings.HasSuffix(r.URL.Path, "/crate-0500") {
			return false
		}
		replyForbidden(w)
		return true
	})
	mark, began := s.mark(t), time.Now()
	command := exec.CommandContext(t.Context(), plugin, "force-remove", "ns/"+s.namespace, "--accept-leaks", "--yes", "--server", address)
	var trace bytes.Buffer
	command.Env, command.Stderr = append(s.env(plane.Admin), "GODEBUG=gctrace=1"), &trace
	out, err := command.Output()
	peak := peakLiveHeap(t, trace.String())
	t.Logf("%d objects in %s, %d MB in use at most (%v)\n%s", n, time.Since(began).Round(100*time.Millisecond), peak, err, out)
	// What was read of the cluster and 16 KB for each object: its diagnosis, step and result. A whole object would be more.
	if limit := 24 + n*16/1000; peak > limit {
		t.Errorf("%d MB were in use, the limit is %d", peak, limit)
	}
	wantOutput(t, command.ProcessState.ExitCode(), 1, string(out), fmt.Sprintf("Finalizers removed from %d of %d objects; 1 failed", n-1, n), "crate-0500 -n "+s.namespace+" failed: the API server rejected the write: not this one")
	done, tried := s.writes(t, mark)
	if reads := s.readsOfObjects(t, mark); len(tried) > n+100 || reads > 2*n+100 {
		t.Errorf("for %d objects %d dry runs were sent, and %d reads: one of each kind for an object, and one to see what was written", n, len(tried), reads)
	}
	if copies := len(s.savedCopies(t)); len(done) != n-1 || copies != n {
		t.Errorf("%d written, %d saved", len(done), copies)
	}

	text, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes")
	wantOutput(t, code, 0, text, "Finalizers removed from 1 of 1 object (")
}

// TestRemovalFailFast stops at the first failure.
func TestRemovalFailFast(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "failfast", "")
	s.createDeleting(t, 60)
	s.runScript(t, deleted)
	address := startProxy(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		if isPersistedWrite(r) {
			replyForbidden(w)
		}
		return isPersistedWrite(r)
	})
	out, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes", "--fail-fast", "--server", address)
	wantOutput(t, code, 1, out, "removed from 0 of 60 objects", "not attempted: interrupted")
	if strings.Contains(out, "60 failed") {
		t.Error("it went on")
	}
}
