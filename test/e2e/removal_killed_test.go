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
			return func(r *http.Request) bool { return realWrite(r) && written.Add(1) == n }
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
		{name: "confirmed", at: func() func(*http.Request) bool { return afterYes }},
		{name: "judging", at: readAfter(afterYes)},
		{name: "first", at: nthWrite(1)},
		{name: "second", at: nthWrite(2)},
		{name: "last", at: nthWrite(3)},
		{name: "unanswered", at: nthWrite(2), arrives: true},
		{name: "verifying", at: readAfter(realWrite)},
	} {
		t.Run(point.name, func(t *testing.T) {
			t.Parallel()
			s := newRemoval(t, p, "killed-"+point.name, "crates a b c"+deleted)
			mark := s.mark(t)
			s.killedAt(t, point.at(), point.arrives)
			s.audited(t, mark)
			if point.arrives {
				s.expectBegun(t)
			}
			out, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes")
			// It may have been done to the end: then there is no such namespace, or nothing left to do for others.
			if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
				want(t, code, 0, out)
			}
			s.allSaved(t, mark)
			s.audited(t, mark)
		})
	}
}

// killedAt runs the plugin until it sends a certain request, which gets no answer, and kills it there.
func (s *removalScene) killedAt(t *testing.T, at func(*http.Request) bool, arrives bool) {
	t.Helper()
	reached := make(chan struct{}, 1)
	proxy := through(t, s.p)
	address := served(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
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
	command := exec.CommandContext(t.Context(), plugin, "force-remove", "ns/"+s.namespace, "--accept-leaks", "--yes", "--server", address)
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

// expectBegun expects an audit line of a write of which nobody noted the end.
func (s *removalScene) expectBegun(t *testing.T) {
	t.Helper()
	open := map[string]int{}
	for _, e := range s.audits(t) {
		if e.Result == removal.Begun {
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
	t.Errorf("no write was left open: %+v", s.audits(t))
}

// allSaved expects the namespace to be gone, and a copy of every object that was written since the mark.
func (s *removalScene) allSaved(t *testing.T, since plane.Mark) {
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
			t.Errorf("there is no saved copy of %s (%v): %v", name, err, s.copies(t))
		}
	}
}
