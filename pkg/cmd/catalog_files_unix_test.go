//go:build unix

package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCatalogFilesAreFiles holds that a pipe or a device in the place of a file is refused in one line, and that many
// faults stay a line that can be read.
func TestCatalogFilesAreFiles(t *testing.T) {
	config := emptyHome(t)
	folder, pipe, faulty := filepath.Join(config, "kubectl-finalizers", "catalog.d"), filepath.Join(config, "pipe"), filepath.Join(config, "faulty.yaml")
	for _, err := range []error{
		syscall.Mkfifo(pipe, 0o600),
		os.WriteFile(faulty, []byte("area: a\nproject: b\nfinalizers:\n"+strings.Repeat("- finalizer: {}\n", 100)), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(file, says string) {
		t.Helper()
		out, errOut, code := runOffline(t, "catalog", "rook", "--catalog", file)
		if code != 1 || out != "" || !strings.Contains(errOut, says) || strings.Count(errOut, "\n") != 1 || len(errOut) > 2000 {
			t.Errorf("%s: ended with %d and said %q", file, code, errOut)
		}
	}
	want(pipe, "it is not a regular file")
	want("/dev/zero", "it is not a regular file")
	want(faulty, "more")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "own.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("/dev/null", "it is not a regular file")
}
