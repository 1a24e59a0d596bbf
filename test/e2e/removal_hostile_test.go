package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestRestoreKeepsEveryValue removes the finalizer of an object that holds numbers and characters which YAML or a float
// would change, and recreates it from its copy.
func TestRestoreKeepsEveryValue(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "values", `
cat <<'END' | sed "s/GROUP/$G/g; s/NAMESPACE/$N/g" | kubectl create -f -
{"apiVersion":"GROUP/v1","kind":"Crate","metadata":{"name":"odd","namespace":"NAMESPACE","finalizers":["GROUP/hold"]},"spec":{
"big":9007199254740993,"max":9223372036854775807,"neg":-9223372036854775807,"ids":[4611686018427387905],"ratio":0.1,
"nel":"a\u0085b","c1":"\u009b31m","del":"\u007f","none":"\ufffe\uffff","line":"a\u2028b","esc":"\u001b[2J","turn":"\u202e","text":"a\n  b\t\n","yes":"yes"}}
END
kubectl get -n $N crates.$G odd -o json >/dev/null
kubectl delete -n $N crates.$G odd --wait=false
`)
	spec := func() string { return s.get(t, s.crate("odd"), "{.spec}") }
	before := spec()
	if !strings.Contains(before, "9007199254740993") || !strings.Contains(before, "a\u0085b") {
		t.Fatalf("the scene is not set: %q", before)
	}
	out, _, code := s.remove(t, s.crate("odd"), "-n", s.namespace, "--accept-leaks", "--yes")
	wantOutput(t, code, 0, out, "removed from 1 of ")
	out, _, code = s.restore(t, filepath.Dir(s.savedCopies(t)[0]), "--yes")
	wantOutput(t, code, 0, out, "Restored 1 of 1 object")
	if after := spec(); after != before {
		t.Errorf("it was\n%q\nand is\n%q", before, after)
	}
}

// TestRestoreUnanswered loses the API server's answers to what restore creates.
func TestRestoreUnanswered(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "lost", "crates a\n")
	file := s.contentOf(t, s.crate("a"))
	s.runScript(t, `kubectl patch -n $N crates.$G a --type=merge -p '{"metadata":{"finalizers":null}}'; kubectl delete -n $N crates.$G a`)
	var posts atomic.Int64
	proxy := reverseProxy(t, s.p)
	address := serveProxy(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/crates") || r.URL.Query().Has("dryRun") {
			return false
		}
		posts.Add(1)
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	})
	out, _, code := s.restore(t, file, "--yes", "--server", address)
	wantOutput(t, code, 0, out, "Restored 1 of 1 object")
	if posts.Load() != 1 {
		t.Errorf("it was created %d times", posts.Load())
	}
}

// TestRestoreShowsPower shows what gives rights as it would be created, each by itself.
func TestRestoreShowsPower(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "power", "")
	dir := t.TempDir()
	for i := range 7 {
		s.saveCopy(t, dir, fmt.Sprintf("%d.yaml", i), fmt.Sprintf(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: power-%d, uid: u%d, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [example.com/hold]}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: tenant-%d}]
`, i, i, i))
	}
	mark := s.mark(t)
	out, _, code := s.restore(t, dir, "--dry-run=client")
	wantOutput(t, code, 0, out, "clusterrolebinding/power-6\n      recreate     with example.com/hold\n      apiVersion: ", "\n        name: cluster-admin\n", "name: tenant-0\n", "name: tenant-6\n")
	s.wantNoWrites(t, mark)
}

// TestRestoreFollowsNoLink plants a link beside a good copy.
func TestRestoreFollowsNoLink(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "link", "crates a\n")
	file := s.contentOf(t, s.crate("a"))
	s.runScript(t, `kubectl patch -n $N crates.$G a --type=merge -p '{"metadata":{"finalizers":null}}'`)
	target, audit := filepath.Join(t.TempDir(), "rc"), filepath.Join(filepath.Dir(file), "audit.jsonl")
	if err := errors.Join(os.WriteFile(target, nil, 0o600), os.Remove(audit), os.Symlink(target, audit)); err != nil {
		t.Fatal(err)
	}
	mark := s.mark(t)
	_, errOut, code := s.restore(t, file, "--yes", "--allow-unverified")
	wantOutput(t, code, 1, errOut, "it is a symbolic link")
	s.wantNoWrites(t, mark)
	if content, err := os.ReadFile(target); err != nil || len(content) > 0 {
		t.Errorf("the target of the link holds %q (%v)", content, err)
	}
}

// TestInterruptTwice presses ^C while a write gets no answer: once it is told why that takes its time, twice it ends.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "twice", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	address := startProxy(t, s.p, func(_ http.ResponseWriter, r *http.Request) bool {
		if !isPersistedWrite(r) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the other side has hung up
		<-r.Context().Done()
		return true
	})
	command := exec.CommandContext(t.Context(), plugin, "force-remove", s.crate("a"), "-n", s.namespace, "--accept-leaks", "--yes", "--server", address)
	command.Env = s.env(plane.Admin)
	var errOut outputBuffer
	command.Stderr = &errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if len(s.auditEntries(t)) == 0 {
			return errors.New("it has not begun")
		}
		return nil
	})
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if !strings.Contains(errOut.String(), "finishing the writes in progress") {
			return errors.New("it does not say why it goes on")
		}
		return nil
	})
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // how it ended is looked at below
	if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("it ended with %s: %s", command.ProcessState, errOut.String())
	}
}

// TestLostOutput prints to a full disk.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "full", "crates a\nkubectl delete -n $N crates.$G a --wait=false\n")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	for _, line := range []string{
		"list -n " + s.namespace, "list -o name -n " + s.namespace, "list -o yaml -n " + s.namespace, "explain " + s.crate("a") + " -n " + s.namespace,
		"force-remove --accept-leaks --dry-run=server " + s.crate("a") + " -n " + s.namespace, "version", "health --check apiservices",
	} {
		command := exec.CommandContext(t.Context(), plugin, strings.Fields(line)...)
		command.Env = s.env(plane.Admin)
		var errOut bytes.Buffer
		command.Stdout, command.Stderr = full, &errOut
		if err := command.Run(); err == nil || command.ProcessState.ExitCode() != 1 || !strings.Contains(errOut.String(), "error: printing the output, of which a part is lost: ") {
			t.Errorf("%s ended with %v and said %q", line, err, errOut.String())
		}
	}
}

// TestRemovalOfNothing meets a namespace whose deletion has just begun: there is nothing to confirm.
func TestRemovalOfNothing(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "nothing", "")
	path := "/api/v1/namespaces/" + s.namespace
	proxy := reverseProxy(t, s.p)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		if r.Request.URL.Path == path {
			body = bytes.Replace(body, []byte(`"metadata":{`), fmt.Appendf(nil, `"metadata":{"deletionTimestamp":%q,`, time.Now().UTC().Format(time.RFC3339)), 1)
			body = bytes.Replace(body, []byte(`"phase":"Active"`), []byte(`"phase":"Terminating"`), 1)
			r.Header.Del("Content-Length")
			r.ContentLength = int64(len(body))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		return err
	}
	address := serveProxy(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Accept-Encoding")
		if r.URL.Path == path {
			r.Header.Set("Accept", strings.ReplaceAll(r.Header.Get("Accept"), "application/vnd.kubernetes.protobuf", "application/json"))
		}
		return false
	})
	for _, dryRun := range []string{"server", "client"} {
		out, errOut, code := s.remove(t, "ns/"+s.namespace, "--dry-run="+dryRun, "--server", address)
		wantOutput(t, code, 0, errOut, "no stuck object is left in the namespace")
		if strings.Contains(out, "--confirm") || strings.Contains(out, "accepted by the API server") {
			t.Errorf("it asks to confirm nothing:\n%s", out)
		}
	}
}
