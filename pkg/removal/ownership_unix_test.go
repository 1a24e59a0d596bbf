//go:build unix

package removal_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
)

// TestAuditFollowsNoLink plants a link in the place of the audit file, as an archive may hold one.
func TestAuditFollowsNoLink(t *testing.T) {
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "rc")
	if err := os.WriteFile(target, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, plant := range map[string]func(path string) error{
		"symbolic link":      func(path string) error { return os.Symlink(target, path) },
		"hard link":          func(path string) error { return os.Link(target, path) },
		"not a regular file": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		path := filepath.Join(dir, removal.AuditFile)
		if err := plant(path); err != nil {
			t.Fatal(err)
		}
		if _, err := removal.OpenAudit(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSavedCopiesAreFiles hands over what is no file, or another's.
func TestSavedCopiesAreFiles(t *testing.T) {
	dir := t.TempDir()
	link, pipe, large := filepath.Join(dir, "link.yaml"), filepath.Join(dir, "pipe.yaml"), filepath.Join(dir, "large.yaml")
	for _, err := range []error{
		os.Symlink("/etc/passwd", link), syscall.Mkfifo(pipe, 0o600), os.WriteFile(large, nil, 0o600), os.Truncate(large, 300<<20),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{link: "symbolic link", pipe: "not a regular file", "/dev/zero": "not a regular file", large: "larger than"} {
		if _, _, err := removal.LoadSavedCopies(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
