package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestRemovalKilled kills the plugin with SIGKILL at each step on its way, and runs it again.
func TestRemovalKilled(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	var written atomic.Int64
	nthWrite := func(n int64) func(*http.Request) bool {
		return func(r *http.Request) bool { return realWrite(r) && written.Add(1) == n }
	}
	for _, point := range []struct {
		name string
		at   func(*http.Request) bool
	}{
		{"proving", func(r *http.Request) bool { return r.Method == http.MethodPatch && r.URL.Query().Has("dryRun") }},
		{"confirmed", afterYes},
		{"first", nthWrite(1)},
		{"second", nthWrite(2)},
		{"last", nthWrite(3)},
		// It looks whether what it wrote shows.
		{"verifying", func(r *http.Request) bool {
			if realWrite(r) {
				written.Add(1)
			}
			return written.Load() > 0 && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/crates/")
		}},
	} {
		t.Run(point.name, func(t *testing.T) {
			written.Store(0)
			s := newRemoval(t, p, "killed-"+point.name, "crates a b c"+deleted)
			mark := s.mark(t)
			s.killedAt(t, point.at)
			out, _, code := s.remove(t, "ns/"+s.namespace, "--accept-leaks", "--yes")
			// It may have been done to the end: then there is no such namespace, or nothing left to do for others.
			if s.get(t, "ns/"+s.namespace, "{.metadata.name}") != "" {
				want(t, code, 0, out)
			}
			s.allSaved(t, mark)
		})
	}
}

// killedAt runs the plugin until it sends a certain request, which gets no answer, and kills it there.
func (s *removalScene) killedAt(t *testing.T, at func(*http.Request) bool) {
	t.Helper()
	reached := make(chan struct{}, 1)
	address := between(t, s.p, func(_ http.ResponseWriter, r *http.Request) bool {
		if !at(r) {
			return false
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
