package removal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

const goodCopy = `# saved from: https://one
apiVersion: example.com/v1
kind: Web
metadata:
  name: web
  uid: u
  deletionTimestamp: "2026-01-01T00:00:00Z"
  finalizers: [example.com/hold]
`

// TestLoadSavedCopiesRefuses hands over what force-remove can never have saved.
func TestLoadSavedCopiesRefuses(t *testing.T) {
	for name, test := range map[string]struct{ from, to, want string }{
		"good":                    {"", "", ""},
		"no uid":                  {"  uid: u\n", "", "it has no uid"},
		"an empty uid":            {"uid: u", `uid: ""`, "it has no uid"},
		"a uid that is no text":   {"uid: u", "uid: 5", "it has no uid"},
		"not being deleted":       {"  deletionTimestamp: \"2026-01-01T00:00:00Z\"\n", "", "it has no deletionTimestamp"},
		"a time that is none":     {"2026-01-01T00:00:00Z", "soon", "it has no deletionTimestamp"},
		"no finalizers":           {"  finalizers: [example.com/hold]\n", "", "it has no finalizers"},
		"an empty list":           {"[example.com/hold]", "[]", "it has no finalizers"},
		"no list":                 {"[example.com/hold]", "example.com/hold", "it has no finalizers"},
		"finalizers of a spec":    {"  finalizers: [example.com/hold]\n", "spec: {finalizers: [kubernetes]}\n", "it has no finalizers"},
		"two documents":           {"# saved", "---\na: b\n---\n# saved", "several documents"},
		"a second document below": {"[example.com/hold]\n", "[example.com/hold]\n---\nkind: ClusterRoleBinding\n", "several documents"},
		"a key twice":             {"  uid: u\n", "  uid: u\n  uid: v\n", "already set"},
		"no name":                 {"  name: web\n", "", "no apiVersion, kind and name"},
		"a list":                  {goodCopy, "- a\n", "not a saved copy"},
	} {
		file := filepath.Join(t.TempDir(), "copy.yaml")
		if err := os.WriteFile(file, []byte(strings.Replace(goodCopy, test.from, test.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := removal.LoadSavedCopies(file)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
	namespace := strings.NewReplacer("example.com/v1", "v1", "Web", "Namespace", "  finalizers: [example.com/hold]\n", "spec: {finalizers: [kubernetes]}\n").Replace(goodCopy)
	file := filepath.Join(t.TempDir(), "copy.yaml")
	if err := os.WriteFile(file, []byte(namespace), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := removal.LoadSavedCopies(file); err != nil {
		t.Errorf("a namespace with finalizers in its spec: %v", err)
	}
}

// TestSavedCopiesAreVerified holds that a copy counts as what was saved only by its digest in the audit file.
func TestSavedCopiesAreVerified(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	verified := func() string {
		saved, _, err := removal.LoadSavedCopies(dir)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range saved {
			out = append(out, fmt.Sprintf("%s:%t", filepath.Base(s.File), s.Verified))
		}
		return strings.Join(out, " ")
	}
	write("a.yaml", goodCopy)
	write("b.yaml", goodCopy)
	if got := verified(); got != "a.yaml:false b.yaml:false" {
		t.Errorf("without an audit file: %s", got)
	}
	audit, err := removal.OpenAudit(dir)
	if err != nil {
		t.Fatal(err)
	}
	audit.Now = func() time.Time { return time.Unix(1, 0) }
	for _, e := range []removal.AuditEntry{{Copy: "b.yaml", CopySHA256: sha256Of("another")}, {Copy: "a.yaml", CopySHA256: sha256Of(goodCopy)}, {}} {
		if err := audit.Append(e, removal.AuditBegun); err != nil {
			t.Fatal(err)
		}
	}
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
	if got := verified(); got != "a.yaml:true b.yaml:false" {
		t.Errorf("with one digest: %s", got)
	}
	write("a.yaml", goodCopy+" ")
	if got := verified(); got != "a.yaml:false b.yaml:false" {
		t.Errorf("after a change: %s", got)
	}
}
