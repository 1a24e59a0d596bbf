package e2e

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// restore runs restore in the scene as its admin.
func (s *removalScene) restore(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	out, errOut, code = finalizers(t, s.env(plane.Admin), append([]string{"restore"}, args...)...)
	t.Logf("$ kubectl finalizers restore %s\n%s%s(%d)", strings.Join(args, " "), errOut, out, code)
	return out, errOut, code
}

// contentOf is a copy of an object as if it had been saved while it was being deleted.
func (s *removalScene) contentOf(t *testing.T, what string) string {
	t.Helper()
	out, errOut, code := kubectl(t, s.p, plane.Admin, "get", "-n", s.namespace, what, "-o", "yaml")
	if code != 0 {
		t.Fatal(errOut)
	}
	return s.saveCopy(t, t.TempDir(), "copy.yaml", strings.Replace(out, "metadata:\n", "metadata:\n  deletionTimestamp: \"2026-01-01T00:00:00Z\"\n", 1))
}

// saveCopy saves a copy as force-remove does: under its heading, and with its digest in the audit file.
func (s *removalScene) saveCopy(t *testing.T, dir, name, object string) (file string) {
	t.Helper()
	content := "# uid of kube-system: " + s.get(t, "ns/kube-system", "{.metadata.uid}") + "\n" + object
	addDigest(t, dir, name, content)
	return writeCopy(t, dir, name, content)
}

func writeCopy(t *testing.T, dir, name, content string) (file string) {
	t.Helper()
	file = filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// addDigest notes the digest of a copy in the audit file of its folder.
func addDigest(t *testing.T, dir, name, content string) {
	t.Helper()
	audit, err := removal.OpenAudit(dir)
	if err != nil {
		t.Fatal(err)
	}
	audit.Now = time.Now
	err = audit.Append(removal.AuditEntry{Copy: name, CopySHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(content)))}, removal.AuditBegun)
	if err := errors.Join(err, audit.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRestore puts back what can be put back, and says what cannot.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "restore", "crates gone living dying other typed\nkubectl delete -n $N crates.$G gone --wait=false\n")
	out, _, code := s.remove(t, s.crate("gone"), "-n", s.namespace, "--accept-leaks", "--yes")
	wantOutput(t, code, 0, out, "removed from 1 of ")
	folder := filepath.Dir(s.savedCopies(t)[0])

	t.Run("gone", func(t *testing.T) {
		mark := s.mark(t)
		out, _, code := s.restore(t, folder, "--dry-run=server")
		wantOutput(t, code, 0, out, "recreate     with "+s.group+"/hold", "1 of 1 accepted by the API server", "Cluster   ")
		s.wantNoWrites(t, mark)
		_, errOut, code := s.restore(t, folder)
		wantOutput(t, code, 3, errOut, "there is no terminal to ask for confirmation", "nothing was changed")
		s.wantNoWrites(t, mark)
		_, errOut, code = s.restore(t, folder, "--confirm", "0123456789abcdef")
		wantOutput(t, code, 3, errOut, "the confirmation token is out of date", "nothing was changed")
		s.wantNoWrites(t, mark)
		out, _, code = s.restore(t, folder, "--confirm", tokenPattern.FindStringSubmatch(out)[1])
		wantOutput(t, code, 0, out, "Restored 1 of 1 object")
		got := s.get(t, s.crate("gone"), "{.metadata.finalizers[*]} {.spec.size} {.metadata.deletionTimestamp}{.metadata.generation}")
		if got != s.group+"/hold 3 1" {
			t.Errorf("restored: %q", got)
		}
		s.wantAudited(t, mark)
		lines := s.auditEntries(t)
		if last := lines[len(lines)-1]; last.Result != "restored" || last.User != plane.Admin || last.ClusterUID == "" || last.Object != "crate."+s.group+"/gone" ||
			last.Request != "POST "+strings.TrimSuffix(s.path(""), "/") || !slices.Equal(last.Finalizers, []string{s.group + "/hold"}) {
			t.Errorf("the last audit line is %+v", last)
		}
		out, _, code = s.restore(t, folder, "--yes")
		wantOutput(t, code, 0, out, "unchanged    restore has recreated it, and it has all its finalizers")
	})
	t.Run("from another cluster", func(t *testing.T) {
		mark := s.mark(t)
		content, err := os.ReadFile(s.savedCopies(t)[0])
		if err != nil {
			t.Fatal(err)
		}
		for says, text := range map[string]string{
			"is from the cluster at https://":       regexp.MustCompile(`(?m)^# uid of kube-system: .*$`).ReplaceAllString(string(content), "# uid of kube-system: another"),
			"does not say which cluster it is from": strings.TrimLeft(regexp.MustCompile(`(?m)^#.*$`).ReplaceAllString(string(content), ""), "\n"),
		} {
			file := writeCopy(t, t.TempDir(), "copy.yaml", text)
			_, errOut, code := s.restore(t, file, "--yes")
			wantOutput(t, code, 1, errOut, "copy.yaml does not match a digest in audit.jsonl", "nothing was changed", "--allow-unverified")
			_, errOut, code = s.restore(t, file, "--yes", "--allow-unverified")
			wantOutput(t, code, 1, errOut, says, "nothing was changed", "--from-another-cluster")
			out, _, code := s.restore(t, file, "--yes", "--from-another-cluster", "--allow-unverified")
			wantOutput(t, code, 0, out, "unchanged    restore has recreated it, and it has all its finalizers")
		}
		s.wantNoWrites(t, mark)
	})
	t.Run("at a terminal", func(t *testing.T) {
		file := s.contentOf(t, s.crate("typed"))
		s.runScript(t, `kubectl patch -n $N crates.$G typed --type=merge -p '{"metadata":{"finalizers":null}}'`)
		mark := s.mark(t)
		text, code := s.runAtTerminal(t, typeInput("tipped\n"), "restore", file)
		wantOutput(t, code, 3, text, "Type the name of the object (typed) to continue: ", "nothing was changed")
		s.wantNoWrites(t, mark)
		text, code = s.runAtTerminal(t, typeInput("typed\n"), "restore", file)
		wantOutput(t, code, 0, text, "Restored 1 of 1 object")
	})
	t.Run("living", func(t *testing.T) {
		file := s.contentOf(t, s.crate("living"))
		s.runScript(t, `kubectl patch -n $N crates.$G living --type=merge -p '{"metadata":{"finalizers":["other.example.com/hold"]}}'`)
		out, _, code := s.restore(t, file, "--yes")
		wantOutput(t, code, 0, out, "add          "+s.group+"/hold", "Restored 1 of 1 object")
		if got := s.get(t, s.crate("living"), "{.metadata.finalizers[*]}"); got != "other.example.com/hold "+s.group+"/hold" {
			t.Errorf("its finalizers are %q", got)
		}
		s.runScript(t, `kubectl patch -n $N crates.$G living --type=merge -p '{"metadata":{"finalizers":null}}'`)
		out, _, code = s.restore(t, file, "--yes")
		wantOutput(t, code, 0, out, "Restored 1 of 1 object")
	})
	t.Run("dying", func(t *testing.T) {
		s.runScript(t, `kubectl patch -n $N crates.$G dying --type=json -p '[{"op":"add","path":"/metadata/finalizers/-","value":"other.example.com/hold"}]'`)
		file := s.contentOf(t, s.crate("dying"))
		s.runScript(t, `kubectl patch -n $N crates.$G dying --type=merge -p '{"metadata":{"finalizers":["other.example.com/hold"]}}'
kubectl delete -n $N crates.$G dying --wait=false`)
		mark := s.mark(t)
		out, _, code := s.restore(t, file, "--yes")
		wantOutput(t, code, 3, out, "it is being deleted, which cannot be undone")
		s.wantNoWrites(t, mark)
	})
	t.Run("another", func(t *testing.T) {
		file := s.contentOf(t, s.crate("other"))
		s.runScript(t, `kubectl patch -n $N crates.$G other --type=merge -p '{"metadata":{"finalizers":null}}'
kubectl delete -n $N crates.$G other
printf '{"apiVersion":"%s/v1","kind":"Crate","metadata":{"name":"other","namespace":"%s"}}' $G $N | kubectl create -f -`)
		mark := s.mark(t)
		out, _, code := s.restore(t, file, "--yes")
		wantOutput(t, code, 3, out, "another object has its name now")
		s.wantNoWrites(t, mark)
	})
	t.Run("without its namespace", func(t *testing.T) {
		content, err := os.ReadFile(s.contentOf(t, s.crate("living")))
		if err != nil {
			t.Fatal(err)
		}
		file := s.saveCopy(t, t.TempDir(), "copy.yaml", strings.ReplaceAll(string(content), "namespace: "+s.namespace, "namespace: nowhere"))
		out, _, code := s.restore(t, file, "--yes")
		wantOutput(t, code, 3, out, "its namespace does not exist", "kubectl create namespace nowhere")
	})
	t.Run("nonsense", func(t *testing.T) {
		torn := writeCopy(t, t.TempDir(), "torn.yaml", "# saved from: https://one\napiV")
		for path, says := range map[string]string{
			t.TempDir(): "there are no saved copies in ", plugin: "it is larger than ", torn: "is not a saved copy: ",
			filepath.Join(t.TempDir(), "none.yaml"): "reading the saved copy: ",
		} {
			_, errOut, code := s.restore(t, path, "--yes")
			wantOutput(t, code, 1, errOut, "error: ", says)
		}
	})
}

// TestCredentialsAreNotSaved removes finalizers from what holds credentials, and looks for them on the disk.
func TestCredentialsAreNotSaved(t *testing.T) {
	t.Parallel()
	s := newRemoval(t, sharedPlane(t), "credentials", `
cat <<END | kubectl apply -f -
{"apiVersion":"v1","kind":"List","items":[
 {"apiVersion":"v1","kind":"Secret","metadata":{"name":"key","namespace":"$N","finalizers":["$G/hold"]},"data":{"pass":"aHVudGVyMg=="}},
 {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"app","namespace":"$N","finalizers":["$G/hold"]},"data":{"db.password":"hunter2","app.yaml":"user: shop\\npassword: hunter2\\n","color":"blue"}}]}
END
kubectl delete -n $N secret/key configmap/app --wait=false
`)
	var seen atomic.Int64
	proxy := reverseProxy(t, s.p)
	proxy.ModifyResponse = func(r *http.Response) error {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if strings.HasSuffix(r.Request.URL.Path, "/secrets/key") {
			if r.StatusCode == http.StatusOK && !bytes.Contains(body, []byte("PartialObjectMetadata")) {
				t.Errorf("%s was answered with more than metadata", r.Request.Method)
			}
			seen.Add(1)
		}
		return err
	}
	address := serveProxy(t, proxy, func(http.ResponseWriter, *http.Request) bool { return false })
	out, _, code := s.remove(t, "secret/key", "cm/app", "-n", s.namespace, "--override-verdict", "--accept-leaks", "--yes", "--server", address)
	if seen.Load() < 4 {
		t.Errorf("%d answers about the Secret were looked at", seen.Load())
	}
	wantOutput(t, code, 0, out, "removed from 2 of ", "secret/key -n "+s.namespace+" done: deleted; the saved copy is without the data of a Secret", "configmap/app -n "+s.namespace+" done: deleted; the saved copy is without the entries app.yaml, db.password")
	copies := s.savedCopies(t)
	for _, file := range copies {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(content); strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyMg") || !strings.Contains(text, "\n# not saved: ") {
			t.Errorf("%s:\n%s", file, content)
		}
	}
	out, _, code = s.restore(t, filepath.Dir(copies[0]), "--yes")
	wantOutput(t, code, 3, out, "secret/key -n "+s.namespace+"\n      refused      cannot be restored", "it was deleted, and the data of a Secret is never saved",
		"configmap/app -n "+s.namespace+"\n      recreate     with ", "without      the entries app.yaml, db.password, never saved", "Restored 1 of 1 object")
	if got := s.get(t, "cm/app", "{.data}"); got != `{"color":"blue"}` {
		t.Errorf("restored: %s", got)
	}
}
