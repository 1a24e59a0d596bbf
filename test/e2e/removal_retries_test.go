package e2e

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestRemovalRetries meets an API server that is too busy, or in trouble, at first.
func TestRemovalRetries(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "retries", "crates a b c\nkubectl delete -n $N crates.$G --all --wait=false\n")
	var mu sync.Mutex
	asked := map[string][]string{}
	var busy []time.Time
	address := startProxy(t, s.p, func(w http.ResponseWriter, r *http.Request) bool {
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		mu.Lock()
		defer mu.Unlock()
		if real := isPersistedWrite(r); real || r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, s.path("")) {
			asked[name] = append(asked[name], r.Method)
			if !real {
				return false
			}
		} else {
			return false
		}
		if name == "a" {
			busy = append(busy, time.Now())
		}
		switch times := strings.Count(strings.Join(asked[name], " "), http.MethodPatch); {
		case name == "a" && times < 3: // as its priority levels answer (k8s.io/apiserver/pkg/server/filters/priority-and-fairness.go)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, "Too many requests, please try again later.") // whoever hangs up has heard enough
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
	wantOutput(t, code, 0, out, "removed from 3 of ")
	for name, writes := range map[string]int{"a": 3, "b": 3, "c": 2} {
		// Each is read again before each write.
		i, n := 0, 0
		for ; slices.Contains(asked[name][i:], http.MethodPatch); n++ {
			next := slices.Index(asked[name][i:], http.MethodPatch)
			if next == 0 {
				t.Errorf("%s was written again unread: %v", name, asked[name])
			}
			i += next + 1
		}
		if n != writes {
			t.Errorf("%s was written %d times, want %d: %v", name, n, writes, asked[name])
		}
	}
	for i := range len(busy) - 1 {
		if pause := busy[i+1].Sub(busy[i]); pause < time.Second {
			t.Errorf("it waited %s where a second was asked for", pause)
		}
	}
}
