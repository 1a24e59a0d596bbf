package removal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAuditAfterTornLine holds that a line whose writer was killed spoils no other.
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

// TestAuditOfTwoRuns holds that a run in which nothing was written takes the file from no other that has it open.
func TestAuditOfTwoRuns(t *testing.T) {
	dir := t.TempDir()
	idle, err := OpenAudit(dir)
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenAudit(dir)
	if err != nil {
		t.Fatal(err)
	}
	a.Now = func() time.Time { return time.Unix(1, 0) }
	err = errors.Join(idle.Close(), a.Append(AuditEntry{Object: "crate/a"}, AuditBegun), a.Close())
	if content, readErr := os.ReadFile(filepath.Join(dir, AuditFile)); err != nil || !strings.Contains(string(content), "crate/a") {
		t.Errorf("it reads %q (%v, %v)", content, err, readErr)
	}
}

// TestDiscard removes the folder of a run that has written nothing, and no other.
func TestDiscard(t *testing.T) {
	for name, lines := range map[string]int{"idle": 0, "busy": 1} {
		b := Backup{Dir: filepath.Join(t.TempDir(), name)}
		if err := os.Mkdir(b.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		a, err := OpenAudit(b.Dir)
		if err != nil {
			t.Fatal(err)
		}
		a.Now = func() time.Time { return time.Unix(1, 0) }
		for range lines {
			err = a.Append(AuditEntry{}, AuditBegun)
		}
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		discarded := b.Discard()
		if _, err := os.Stat(b.Dir); os.IsNotExist(err) != (lines == 0) || (discarded == nil) != (lines == 0) {
			t.Errorf("%s: %v, and the folder: %v", name, discarded, err)
		}
	}
}
