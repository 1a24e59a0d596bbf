package e2e

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// interceptOnce does something at the first request that is meant, while the plugin waits.
func interceptOnce(when func(*http.Request) bool, do func()) func(http.ResponseWriter, *http.Request) bool {
	var first sync.Once
	return func(_ http.ResponseWriter, r *http.Request) bool {
		if when(r) {
			first.Do(do)
		}
		return false
	}
}

// TestRemovalBetween changes what the plan was made for, after it was confirmed.
func TestRemovalBetween(t *testing.T) {
	t.Parallel()
	const held = "crates a\nkubectl delete -n $N crates.$G a --wait=false\n"
	const again = `
kubectl patch -n $N crates.$G a --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'
kubectl wait -n $N crates.$G/a --for=delete --timeout=5m
crates a
kubectl delete -n $N crates.$G a --wait=false
`
	// Nobody can add a finalizer to what is being deleted, but move those it has.
	const two = "crates a\nkubectl patch -n $N crates.$G a --type=json -p '[{\"op\":\"add\",\"path\":\"/metadata/finalizers/-\",\"value\":\"late.example.com/hold\"}]'\n" +
		"kubectl delete -n $N crates.$G a --wait=false\n"
	const moved = `kubectl patch -n $N crates.$G a --type=merge -p '{"metadata":{"finalizers":["late.example.com/hold","'$G'/hold"]}}'`
	for name, test := range map[string]struct {
		scene  string
		when   func(*http.Request) bool
		change string
		code   int
		says   string
		left   string
	}{
		"again":     {held, isSelfSubjectReview, again, 3, "another object has its name now", "$G/hold"},
		"moved":     {two, isSelfSubjectReview, moved, 3, "it changed after the plan was shown", "late.example.com/hold $G/hold"},
		"alive":     {operatorDeployment + held, isSelfSubjectReview, operatorRBAC, 3, "its verdict was ControllerGone when the plan was shown, and is ", "$G/hold"},
		"late":      {two, isPersistedWrite, moved, 3, "it changed after the plan was shown", "late.example.com/hold $G/hold"},
		"lateagain": {held, isPersistedWrite, again, 3, "another object has its name now", "$G/hold"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newRemoval(t, sharedPlane(t), "between-"+name, test.scene)
			address := startProxy(t, s.p, interceptOnce(test.when, func() { s.runScript(t, test.change) }))
			out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address, "--finalizer", s.group+"/hold")
			wantOutput(t, code, test.code, out, test.says)
			left := strings.ReplaceAll(test.left, "$G", s.group)
			if got := s.get(t, s.crate("a"), "{.metadata.finalizers[*]}"); got != left {
				t.Errorf("its finalizers are %q, want %q", got, left)
			}
		})
	}
}

// TestRemovalJudgesAgain meets a conflict, and behind it a controller that has come back to life.
func TestRemovalJudgesAgain(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "judges", operatorDeployment+"crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	var first sync.Once
	address := startProxy(t, s.p, func(w http.ResponseWriter, r *http.Request) (answered bool) {
		if isPersistedWrite(r) {
			first.Do(func() {
				s.runScript(t, operatorRBAC)
				reply(w, http.StatusConflict, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,"message":"the object has been modified"}`)
				answered = true
			})
		}
		return answered
	})
	mark := s.mark(t)
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
	wantOutput(t, code, 3, out, "its verdict was ControllerGone when the plan was shown, and is ")
	s.wantNoWrites(t, mark)
}

// TestRemovalNarrowed removes one finalizer of two, and leaves the other and the object alone.
func TestRemovalNarrowed(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "narrowed", `crates a
kubectl patch -n $N crates.$G a --type=json -p '[{"op":"add","path":"/metadata/finalizers/0","value":"first.example.com/hold"}]'
kubectl delete -n $N crates.$G a --wait=false
`)
	out, _, code := s.remove(t, s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--finalizer", s.group+"/hold", "--timeout=1ms")
	wantOutput(t, code, 2, out, "done: other finalizers remain: first.example.com/hold", "still exists; to see why:")
	if got := s.get(t, s.crate("a"), "{.metadata.finalizers[*]}"); got != "first.example.com/hold" {
		t.Errorf("its finalizers are %q", got)
	}
}

// TestRemovalAgain names the objects that an earlier run has freed, and those that no longer exist.
func TestRemovalAgain(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "again", `crates a b
kubectl patch -n $N crates.$G a --type=merge -p '{"metadata":{"finalizers":["other.example.com/hold"]}}'
kubectl delete -n $N crates.$G a b --wait=false
`)
	mark := s.mark(t)
	args := []string{s.crate("a"), s.crate("b"), s.crate("c"), "-n", s.namespace, "--accept-leaks", "--yes", "--finalizer", s.group + "/hold", "--timeout=1ms"}
	out, errOut, code := s.remove(t, args...)
	wantOutput(t, code, 2, out+errOut, `nothing is to be done: crates.`+s.group+` "c" not found`, "Nothing is to be done for:\n  crate."+s.group+"/a",
		"name one of: other.example.com/hold", "removed from 1 of ")
	if done, _ := s.writes(t, mark); !slices.Equal(done, []string{"patch " + s.path("b") + " 200"}) {
		t.Errorf("written: %v", done)
	}
	out, errOut, code = s.remove(t, args...)
	wantOutput(t, code, 1, out+errOut, "no target has the finalizer "+s.group+"/hold")
	_, errOut, code = s.remove(t, s.crate("b"), s.crate("c"), "-n", s.namespace, "--yes")
	wantOutput(t, code, 1, errOut, `"c" not found`)
}
