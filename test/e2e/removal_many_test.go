package e2e

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// manyDeleted makes many crates that are being deleted.
func (s *removalScene) manyDeleted(t *testing.T, n int) {
	t.Helper()
	config, err := s.p.Config(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	crates := client.Resource(schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: "crates"}).Namespace(s.namespace)
	var group errgroup.Group
	group.SetLimit(16)
	for i := range n {
		group.Go(func() error {
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": "Crate"}}
			object.SetName(fmt.Sprintf("crate-%04d", i))
			object.SetFinalizers([]string{s.group + "/hold"})
			_, err := crates.Create(t.Context(), object, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := crates.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
}

// denied answers in the place of the API server that a write is forbidden.
func denied(w http.ResponseWriter) {
	reply(w, http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"not this one"}`)
}

func reply(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body)) // whoever hangs up has heard enough
}

// TestRemovalOfAThousand frees a namespace of a thousand objects, of which one cannot be written at first.
func TestRemovalOfAThousand(t *testing.T) {
	t.Parallel()
	const n = 1000
	s := newRemoval(t, sharedPlane(t), "thousand", "")
	s.manyDeleted(t, n)
	s.do(t, deleted)
	address := between(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		if !realWrite(r) || !strings.HasSuffix(r.URL.Path, "/crate-0500") {
			return false
		}
		denied(w)
		return true
	})
	mark, began := s.mark(t), time.Now()
	command := exec.CommandContext(t.Context(), plugin, "force-remove", "ns/"+s.namespace, "--accept-leaks", "--yes", "--server", address)
	command.Env = s.env(plane.Admin)
	out, err := command.CombinedOutput()
	usage, _ := command.ProcessState.SysUsage().(*syscall.Rusage)
	t.Logf("%d objects in %s, %d MiB at most (%v)\n%s", n, time.Since(began).Round(100*time.Millisecond), usage.Maxrss>>10, err, out)
	want(t, command.ProcessState.ExitCode(), 1, string(out), "999 done, 0 gone by themselves, 0 refused, 1 failed, 0 left", "crate-0500 failed: the API server refused: not this one")
	done, _ := s.writes(t, mark)
	if copies := len(s.copies(t)); len(done) != n-1 || copies != n {
		t.Errorf("%d written, %d saved", len(done), copies)
	}

	text, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes")
	want(t, code, 0, text, "1 done, 0 gone by themselves")
}

// TestRemovalFailFast stops at the first failure.
func TestRemovalFailFast(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "failfast", "")
	s.manyDeleted(t, 60)
	s.do(t, deleted)
	address := between(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		if realWrite(r) {
			denied(w)
		}
		return realWrite(r)
	})
	out, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes", "--fail-fast", "--server", address)
	want(t, code, 1, out, "0 done", "left: not tried")
	if strings.Contains(out, "60 failed") {
		t.Error("it went on")
	}
}

// TestRemovalRetries meets an API server that is too busy, or in trouble, at first.
func TestRemovalRetries(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "retries", "crates a b c\nkubectl delete -n $N crates.$G --all --wait=false\n")
	var mu sync.Mutex
	asked := map[string]int{}
	address := between(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		if !realWrite(r) {
			return false
		}
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		mu.Lock()
		asked[name]++
		times := asked[name]
		mu.Unlock()
		switch {
		case name == "a" && times < 3:
			w.Header().Set("Retry-After", "1")
			reply(w, http.StatusTooManyRequests, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429,"message":"later"}`)
		case name == "b" && times < 3:
			reply(w, http.StatusServiceUnavailable, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"ServiceUnavailable","code":503,"message":"not now"}`)
		case name == "c" && times < 2:
			reply(w, http.StatusConflict, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"the object has been modified"}`)
		default:
			return false
		}
		return true
	})
	out, _, code := s.remove(t, s.crate("a"), s.crate("b"), s.crate("c"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
	want(t, code, 0, out, "3 done")
	if asked["a"] != 3 || asked["b"] != 3 || asked["c"] != 2 {
		t.Errorf("it asked %v", asked)
	}
}
