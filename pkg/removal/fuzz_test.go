package removal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/yamltext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FuzzSavedCopies reads a folder of saved copies in which others wrote: an error names a file in one line, what is read is an
// object that force-remove can have saved, and it counts as saved once the audit file says so, whatever else stands there.
func FuzzSavedCopies(f *testing.F) {
	const head = "# saved from: https://one\n# uid of kube-system: u\n"
	const web = "apiVersion: example.com/v1\nkind: Web\nmetadata:\n  name: web\n  uid: u\n  deletionTimestamp: \"2026-01-01T00:00:00Z\"\n  finalizers: [example.com/hold]\n"
	const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, uid: u, deletionTimestamp: \"2026-01-01T00:00:00Z\"}\nspec: {finalizers: [kubernetes]}\n"
	for _, content := range []string{head + web, namespace, head + "\r" + web, web + "---\n" + web, "- a\n", "a: &a [*a]\n", `{"kind": "Web"}`, ""} {
		f.Add([]byte(content), []byte(`{"copy":"copy.yaml","copySHA256":"`))
	}
	f.Add([]byte(web), append(bytes.Repeat([]byte(" "), maxAuditLine-1), '{'))
	dir := f.TempDir()
	file := filepath.Join(dir, "copy.yaml")
	f.Fuzz(func(t *testing.T, content, audit []byte) {
		writeFile(t, file, content)
		writeFile(t, filepath.Join(dir, AuditFile), audit)
		saved, folder, err := LoadSavedCopies(dir)
		if err != nil {
			if !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
				t.Errorf("the error does not name the file in a short line: %v", err)
			}
			return
		}
		if len(saved) != 1 || folder != dir || missingField(saved[0].Object) != "" || saved[0].Object.GetName() == "" {
			t.Fatalf("%q is read as %+v", content, saved)
		}
		if strings.Contains(saved[0].Cluster.Server+saved[0].Cluster.UID+saved[0].Omitted, "\n") {
			t.Errorf("%q is from %+v, without %q", content, saved[0].Cluster, saved[0].Omitted)
		}
		if text, err := yamltext.Marshal(saved[0].Object.Object); err == nil {
			if again, err := yamltext.Unmarshal(text); err != nil || !yamltext.Equal(again, saved[0].Object.Object) {
				t.Errorf("%q is not what would be restored: %v", content, err)
			}
		}
		line, err := json.Marshal(AuditEntry{Copy: "copy.yaml", CopySHA256: sha256Hex(content)})
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, AuditFile), append(append(audit, '\n'), line...))
		if saved, _, err = LoadSavedCopies(file); err != nil || !saved[0].Verified {
			t.Errorf("behind %q, the digest does not count: %v", audit, err)
		}
	})
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// FuzzBackupHeader holds that what a saved copy says of itself is comments only, and is read as it was written.
func FuzzBackupHeader(f *testing.F) {
	f.Add("https://one:6443", "3f7c", "the data of a Secret")
	f.Add("https://one\nkind: ClusterRoleBinding", "u\rname: a", "\u2028x: y")
	f.Fuzz(func(t *testing.T, server, uid, omitted string) {
		text := backupHeader{Server: server, UID: uid, Omitted: omitted}.bytes()
		object, err := yamltext.Unmarshal(append(text, "kind: Web\n"...))
		if err != nil || len(object) != 1 || object["kind"] != "Web" {
			t.Errorf("%q is read as %v: %v", text, object, err)
		}
		got := parseBackupHeader(text)
		for written, read := range map[string]string{server: got.Server, uid: got.UID, omitted: got.Omitted} {
			if stuck.EscapeLine(written) == written && strings.TrimSpace(written) == written && read != written {
				t.Errorf("%q is read as %q", written, read)
			}
		}
	})
}
