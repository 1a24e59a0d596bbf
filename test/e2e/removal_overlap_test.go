package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// overlappingRun is one of two runs of the plugin at the same time.
type overlappingRun struct {
	items    map[string]overlappingItem
	code     int
	out, err string
	// written are the objects, by name, that the API server wrote because this run asked for it, and sent the writes in all.
	written map[string]int
	sent    int
}

// overlappingItem is what a run says of an object, in any of the documents.
type overlappingItem struct {
	Metadata                 struct{ Name string }
	Outcome, Result, Message string
}

// runTogether runs two commands at the same time. No write of one reaches the API server before the other has one to send.
// The second begins when the first is about to write and between, where set, has run.
func (s *removalScene) runTogether(t *testing.T, first, second []string, between func()) [2]*overlappingRun {
	t.Helper()
	m := &meeting{one: make(chan struct{}), both: make(chan struct{})}
	var runs [2]*overlappingRun
	var group sync.WaitGroup
	for i, args := range [][]string{first, second} {
		run := &overlappingRun{written: map[string]int{}, items: map[string]overlappingItem{}}
		runs[i] = run
		var arrive sync.Once
		address := s.startCountingProxy(t, run, func() {
			arrive.Do(m.arrive)
			<-m.both
		})
		command := exec.CommandContext(t.Context(), plugin, append(args, "-n", s.namespace, "--yes", "-o", "json", "--server", address)...)
		command.Env = s.env(plane.Admin)
		var out, errOut bytes.Buffer
		command.Stdout, command.Stderr = &out, &errOut
		if i == 1 && between != nil {
			<-m.one
			between()
		}
		group.Go(func() {
			defer m.end()
			_ = command.Run() // how it ended is in its exit code
			run.out, run.err, run.code = out.String(), errOut.String(), command.ProcessState.ExitCode()
		})
	}
	group.Wait()
	if m.arrived != 2 {
		t.Error("the two runs did not write at the same time")
	}
	for i, run := range runs {
		t.Logf("run %d ended with %d, sent %d writes, %v were done\n%s%s", i+1, run.code, run.sent, run.written, run.err, run.out)
		run.read(t)
	}
	return runs
}

// meeting is where two runs wait for each other.
type meeting struct {
	mu        sync.Mutex
	arrived   int
	released  bool
	one, both chan struct{}
}

// arrive says that a run is about to write.
func (m *meeting) arrive() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived++; m.arrived == 1 {
		close(m.one)
		return
	}
	m.release()
}

// end says that a run has ended: one that has nothing to write must not keep the other waiting.
func (m *meeting) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived == 0 {
		close(m.one)
	}
	m.release()
}

func (m *meeting) release() {
	if !m.released {
		m.released = true
		close(m.both)
	}
}

// read reads what a run has printed of each object.
func (run *overlappingRun) read(t *testing.T) {
	t.Helper()
	var document struct{ Items []overlappingItem }
	if err := json.Unmarshal([]byte(run.out), &document); err != nil {
		t.Fatalf("it printed no document (%v): %s%s", err, run.out, run.err)
	}
	for _, item := range document.Items {
		run.items[item.Metadata.Name] = item
	}
}

// startCountingProxy counts the writes of a run that are done. Before each is called.
func (s *removalScene) startCountingProxy(t *testing.T, run *overlappingRun, before func()) (address string) {
	t.Helper()
	var mu sync.Mutex
	proxy := reverseProxy(t, s.p)
	proxy.ModifyResponse = func(r *http.Response) error {
		if !isMeantWrite(r.Request) {
			return nil
		}
		name, err := writtenObject(r)
		mu.Lock()
		defer mu.Unlock()
		if run.sent++; name != "" {
			run.written[name]++
		}
		return err
	}
	return serveProxy(t, proxy, func(w http.ResponseWriter, r *http.Request) bool {
		if isMeantWrite(r) {
			before()
		}
		return hideEncodings(w, r)
	})
}

// hideEncodings lets the API server answer in a form that a proxy can read.
func hideEncodings(_ http.ResponseWriter, r *http.Request) bool {
	r.Header.Del("Accept-Encoding")
	return false
}

// isMeantWrite reports whether a request changes something: a creation and a deletion too.
func isMeantWrite(r *http.Request) bool {
	switch {
	case r.URL.Query().Has("dryRun"), strings.HasPrefix(r.URL.Path, "/apis/authorization.k8s.io/"), strings.HasPrefix(r.URL.Path, "/apis/authentication.k8s.io/"):
		return false
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}

// writtenObject is the name of the object that a request has written, empty if it was no write or was rejected. That of a
// creation is in the answer.
func writtenObject(r *http.Response) (name string, err error) {
	if !isMeantWrite(r.Request) || r.StatusCode != http.StatusOK && r.StatusCode != http.StatusCreated {
		return "", nil
	}
	if r.Request.Method != http.MethodPost {
		return path.Base(r.Request.URL.Path), nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var created struct{ Metadata struct{ Name string } }
	err = errors.Join(err, json.Unmarshal(body, &created))
	return created.Metadata.Name, err
}

// wantRunsOnRecord expects a folder of each of n runs, with whole copies that its own audit file vouches for, and
// each write that has begun with its end.
func (s *removalScene) wantRunsOnRecord(t *testing.T, n, copies int) {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(s.state, "kubectl-finalizers", "*", "*"))
	if err != nil || len(folders) != n {
		t.Fatalf("%d folders, want %d: %v (%v)", len(folders), n, folders, err)
	}
	for _, folder := range folders {
		saved, _, err := removal.LoadSavedCopies(folder)
		if err != nil || len(saved) != copies {
			t.Errorf("%s has %d copies, want %d (%v)", folder, len(saved), copies, err)
		}
		for _, each := range saved {
			if !each.Verified {
				t.Errorf("%s is not the copy of which its audit file tells", each.File)
			}
		}
	}
	s.wantAuditPaired(t)
}

// wantAuditPaired expects each write that has begun to have ended, in what the audit files tell.
func (s *removalScene) wantAuditPaired(t *testing.T) {
	t.Helper()
	open := map[string]int{}
	for _, e := range s.auditEntries(t) {
		switch {
		case e.Request == "": // a line of saveCopy
		case e.Result == removal.AuditBegun:
			open[e.Request]++
		default:
			open[e.Request]--
		}
	}
	for request, n := range open {
		if n != 0 {
			t.Errorf("%s has %d lines more that it has begun than that it has ended", request, n)
		}
	}
}
