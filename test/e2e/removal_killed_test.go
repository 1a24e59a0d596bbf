package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestRemovalKilled kills the plugin with SIGKILL at each step on its way, and runs it again.
func TestRemovalKilled(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	reads := func(r *http.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/crates/")
	}
	nthWrite := func(n int64) func() func(*http.Request) bool {
		return func() func(*http.Request) bool {
			var written atomic.Int64
			return func(r *http.Request) bool { return isPersistedWrite(r) && written.Add(1) == n }
		}
	}
	// A read after a certain request.
	readAfter := func(request func(*http.Request) bool) func() func(*http.Request) bool {
		return func() func(*http.Request) bool {
			var come atomic.Bool
			return func(r *http.Request) bool {
				come.CompareAndSwap(false, request(r))
				return come.Load() && reads(r)
			}
		}
	}
	for _, point := range []struct {
		name string
		at   func() func(*http.Request) bool
		// arrives says that the API server gets the request at which the plugin dies, and does it.
		arrives bool
	}{
		{name: "proving", at: func() func(*http.Request) bool {
			return func(r *http.Request) bool { return r.Method == http.MethodPatch && r.URL.Query().Has("dryRun") }
		}},
		{name: "confirmed", at: func() func(*http.Request) bool { return isSelfSubjectReview }},
		{name: "judging", at: readAfter(isSelfSubjectReview)},
		{name: "first", at: nthWrite(1)},
		{name: "second", at: nthWrite(2)},
		{name: "last", at: nthWrite(3)},
		{name: "unanswered", at: nthWrite(2), arrives: true},
		{name: "verifying", at: readAfter(isPersistedWrite)},
	} {
		t.Run(point.name, func(t *testing.T) {
			t.Parallel()
			s := newRemoval(t, p, "killed-"+point.name, "crates a b c"+deleted)
			mark := s.mark(t)
			s.killAt(t, point.at(), point.arrives, "ns/"+s.namespace, "--accept-leaks")
			s.wantAudited(t, mark)
			if point.arrives {
				s.wantPendingAudit(t)
			}
			out, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes", "--timeout=10m")
			// It may have been done to the end: then there is no such namespace, or nothing left to do for others.
			if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
				wantOutput(t, code, 0, out)
			}
			s.wantAllSaved(t, mark)
			s.wantAudited(t, mark)
		})
	}
}

// TestRemovalKilledAtANamespace kills the plugin between the two writes to a Namespace, and at the second.
func TestRemovalKilledAtANamespace(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRemoval(t, sharedPlane(t), "killedns-"+name, `kubectl create -f - <<END
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"tenant-$N","finalizers":["tenants.example.com/meta"]},"spec":{"finalizers":["kubernetes","tenants.example.com/spec"]}}
END
N=tenant-$N; crates a`+deleted)
			s.namespace = "tenant-" + s.namespace
			mark := s.mark(t)
			args := []string{"ns/" + s.namespace, "--override-verdict", "--accept-leaks", "--finalizer", "tenants.example.com/meta", "--finalizer", "tenants.example.com/spec"}
			s.killAt(t, func(r *http.Request) bool { return isPersistedWrite(r) && r.Method == http.MethodPut }, arrives, args...)
			s.wantAudited(t, mark)
			out, errOut, code := s.remove(t, append(args, "--yes", "--timeout=1ms")...)
			if arrives {
				wantOutput(t, code, 1, errOut, "nothing was changed: no target has the finalizer tenants.example.com/meta, tenants.example.com/spec")
			} else {
				wantOutput(t, code, 2, out+errOut, "nothing is to be done: no target has the finalizer tenants.example.com/meta\n", "removed from 1 of ", "still exists; to see why:")
			}
			if got := s.get(t, "ns/"+s.namespace, "{.metadata.finalizers}{.spec.finalizers[*]}"); got != "kubernetes" {
				t.Errorf("its finalizers are %q", got)
			}
			done, _ := s.writes(t, mark)
			if n := strings.Count(strings.Join(done, "\n"), " 200"); n != 2 {
				t.Errorf("written: %v", done)
			}
			s.wantAudited(t, mark)
			if copies, err := filepath.Glob(filepath.Join(s.state, "kubectl-finalizers", "*", "*", "namespaces_*.yaml")); err != nil || len(copies) == 0 {
				t.Errorf("there is no saved copy of the namespace (%v)", err)
			}
		})
	}
}

// killAt runs the plugin until it sends a certain request, which gets no answer, and kills it there.
func (s *removalScene) killAt(t *testing.T, at func(*http.Request) bool, arrives bool, args ...string) {
	t.Helper()
	reached := make(chan struct{}, 1)
	proxy := reverseProxy(t, s.p)
	address := serveProxy(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
		if !at(r) {
			return false
		}
		if arrives {
			proxy.ServeHTTP(httptest.NewRecorder(), r)
		}
		select {
		case reached <- struct{}{}:
		default:
		}
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the other side has hung up
		<-r.Context().Done()
		return true
	})
	command := exec.CommandContext(t.Context(), plugin, append([]string{"force-remove", "--yes", "--server", address}, args...)...)
	command.Env = s.env(plane.Admin)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case <-reached:
		if err := command.Process.Kill(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err == nil {
			t.Error("it ended in good order although it was killed")
		}
	case err := <-ended:
		t.Errorf("it ended by itself: %v", err)
	}
}

// wantPendingAudit expects an audit line of a write of which nobody noted the end.
func (s *removalScene) wantPendingAudit(t *testing.T) {
	t.Helper()
	open := map[string]int{}
	for _, e := range s.auditEntries(t) {
		if e.Result == removal.AuditBegun {
			open[e.Request]++
		} else {
			open[e.Request]--
		}
	}
	for _, n := range open {
		if n > 0 {
			return
		}
	}
	t.Errorf("no write was left open: %+v", s.auditEntries(t))
}

// wantAllSaved expects the namespace to be gone, and a copy of every object that was written since the mark.
func (s *removalScene) wantAllSaved(t *testing.T, since plane.Mark) {
	t.Helper()
	if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
		t.Error("the namespace is still there")
	}
	done, _ := s.writes(t, since)
	for _, name := range []string{"a", "b", "c"} {
		// A write that was on its way when its sender was killed is carried out, and noted as one that nobody waited for.
		answered := strings.Count(strings.Join(done, "\n"), fmt.Sprintf("patch %s %d", s.path(name), http.StatusOK))
		abandoned := strings.Count(strings.Join(done, "\n"), fmt.Sprintf("patch %s %d", s.path(name), http.StatusGatewayTimeout))
		if answered > 1 || answered+abandoned == 0 {
			t.Errorf("%s was written %d times, and %d times without waiting: %v", name, answered, abandoned, done)
		}
		copies, err := filepath.Glob(filepath.Join(s.state, "kubectl-finalizers", "*", "*", "crates.*_"+name+"_*.yaml"))
		if err != nil || len(copies) == 0 {
			t.Errorf("there is no saved copy of %s (%v): %v", name, err, s.savedCopies(t))
		}
	}
}
