package removal

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAuditAfterTornLine holds that a line whose writer was killed spoils no other, and that no empty file is left.
func TestAuditAfterTornLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, AuditFile)
	open := func() *Audit {
		a, err := OpenAudit(dir)
		if err != nil {
			t.Fatal(err)
		}
		a.Now = func() time.Time { return time.Unix(1, 0) }
		return a
	}
	if err := open().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("an empty file stays (%v)", err)
	}
	if err := os.WriteFile(path, []byte(`{"time":"19`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := open()
	for _, result := range []string{AuditBegun, "done"} {
		if err := a.Append(AuditEntry{Object: "crate/a"}, result); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) != 3 || !json.Valid([]byte(lines[1])) || !json.Valid([]byte(lines[2])) {
		t.Errorf("it reads:\n%s", content)
	}
}
