//go:build unix

package ownfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/ownfile"
)

// TestOpen opens what an attacker may have put in the place of a file.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(path("file"), []byte("text"), 0o600),
		os.WriteFile(path("target"), []byte("text"), 0o600),
		os.Symlink(path("target"), path("link")),
		os.Symlink(path("nowhere"), path("dangling")),
		os.Link(path("target"), path("hard")),
		os.Mkdir(path("folder"), 0o700),
		syscall.Mkfifo(path("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"file": "", "new": "", "link": "symbolic link", "dangling": "symbolic link", "hard": "hard link", "folder": "not a regular file", "pipe": "not a regular file",
	} {
		file, err := ownfile.Open(path(name), os.O_CREATE|os.O_RDWR|os.O_APPEND)
		if err == nil {
			err = file.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("opening the %s: %v, want %s", name, err, want)
		}
	}
	if _, err := os.Stat(path("nowhere")); !os.IsNotExist(err) {
		t.Errorf("the target of a link was created (%v)", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path("file"), 12345, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := ownfile.ReadOwn(path("file"), 10); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("reading another user's file: %v", err)
		}
	}
}

// TestRead reads what a user names: through links, but nothing without an end.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	pipe, file, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	for _, err := range []error{syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("0123456789"), 0o600), os.Symlink(file, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{link: "", pipe: "not a regular file", "/dev/zero": "not a regular file", dir: "not a regular file", file: ""} {
		if _, err := ownfile.Read(path, 10); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("reading %s: %v, want %s", path, err, want)
		}
	}
	if _, err := ownfile.Read(file, 9); err == nil || !strings.Contains(err.Error(), "larger than 9 bytes") {
		t.Errorf("reading a file that is too large: %v", err)
	}
}

// TestCheckFolder refuses folders that others made, or may change.
func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	own, shared, link := filepath.Join(dir, "own"), filepath.Join(dir, "shared"), filepath.Join(dir, "link")
	for _, err := range []error{os.Mkdir(own, 0o700), os.Mkdir(shared, 0o700), os.Chmod(shared, 0o777), os.Symlink(own, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{own: "", shared: "other users may write", link: "symbolic link", filepath.Join(dir, "none"): "no such file"} {
		if err := ownfile.CheckFolder(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}
