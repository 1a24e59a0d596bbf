package e2e

import (
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// startDateProxy is a proxy behind which the clock of the API server, by which the plugin knows the time, jumps at a request.
func (s *removalScene) startDateProxy(t *testing.T, jump time.Duration, at func(*http.Request) bool) (address string) {
	t.Helper()
	var ahead atomic.Int64
	proxy := reverseProxy(t, s.p)
	proxy.ModifyResponse = func(r *http.Response) error {
		date, err := http.ParseTime(r.Header.Get("Date"))
		r.Header.Set("Date", date.Add(time.Duration(ahead.Load())).UTC().Format(http.TimeFormat))
		return err
	}
	return serveProxy(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
		if at(r) {
			ahead.Store(int64(jump))
		}
		return false
	})
}

// isProof reports whether a request is the dry run of a planned write. That of a diagnosis has no field manager.
func isProof(r *http.Request) bool {
	return r.URL.Query().Has("dryRun") && r.URL.Query().Has("fieldManager")
}

// TestRemovalAndTheClock lets the clock be two days ahead, jump between the dry run and the write, and jump back at the write: what
// rests on a wrong time is refused, a token is about the objects, and what is written has a copy that can be restored.
func TestRemovalAndTheClock(t *testing.T) {
	t.Parallel()
	const twoDays = 48 * time.Hour
	s := newRemoval(t, sharedPlane(t), "clock", "crates a b\nkubectl delete -n $N crates.$G --all --wait=false\n")
	remove := func(address, name string, args ...string) (text string, code int) {
		out, errOut, code := s.remove(t, append(args, s.crate(name), "-n", s.namespace, "--accept-leaks", "--server", address)...)
		return out + errOut, code
	}
	mark := s.mark(t)
	text, code := remove(s.startDateProxy(t, twoDays, func(*http.Request) bool { return true }), "a", "--yes")
	wantOutput(t, code, 1, text, "nothing was changed: the API server's clock", "ahead of the clock of this machine")
	text, code = remove(s.startDateProxy(t, twoDays, isProof), "a", "--yes")
	wantOutput(t, code, 3, text, "refused: its verdict was ControllerGone when the plan was shown, and is Unknown now")
	s.wantNoWrites(t, mark)

	back := s.startDateProxy(t, -twoDays, isMeantWrite)
	text, code = remove(back, "b", "--dry-run=server")
	token := tokenPattern.FindStringSubmatch(text)
	if wantOutput(t, code, 0, text); token == nil {
		t.Fatal("there is no token")
	}
	text, code = remove(back, "b", "--confirm", token[1])
	wantOutput(t, code, 0, text, "removed from 1 of 1 object")
	text, code = remove(s.startDateProxy(t, 0, isMeantWrite), "a", "--yes")
	wantOutput(t, code, 0, text, "removed from 1 of 1 object")
	s.wantAudited(t, mark)

	_, errOut, code := s.restore(t, "--yes")
	wantOutput(t, code, 3, errOut, "holds 2 runs")
	for _, file := range s.savedCopies(t) {
		out, _, code := s.restore(t, filepath.Dir(file), "--yes")
		wantOutput(t, code, 0, out, "Restored 1 of 1 object")
	}
}
