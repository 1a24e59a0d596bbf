package cmd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// newProgram is a program without a cluster.
func newProgram(out, errOut io.Writer) Program {
	return New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: out, ErrOut: errOut}, func() time.Time { return now })
}

// installCompletion runs completion kubectl.
func installCompletion(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e strings.Builder
	code = newProgram(&o, &e).Run(t.Context(), append([]string{"completion", "kubectl"}, args...))
	return code, o.String(), e.String()
}

// The completion is put beside the link on the PATH that leads to this program, and replaces nothing.
func TestInstallCompletion(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, other := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, completionName)
	t.Setenv("PATH", dir)
	t.Setenv("HOME", other)
	if code, _, errOut := installCompletion(t, "--install"); code != 1 || !strings.Contains(errOut, "is not on the PATH") {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
	if err := errors.Join(os.Symlink(self, filepath.Join(dir, pluginName)), os.WriteFile(filepath.Join(other, pluginName), []byte("#!/bin/sh\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := installCompletion(t)
	if code != 0 || out != completionScript {
		t.Errorf("it ended with %d and printed %q, %q", code, out, errOut)
	}
	for _, says := range []string{path + " is installed: ", path + " is installed already.\n"} {
		if code, out, errOut := installCompletion(t, "--install"); code != 0 || out != "" || !strings.HasPrefix(errOut, says) {
			t.Errorf("it ended with %d and printed %q, %q", code, out, errOut)
		}
	}
	info, err := os.Stat(path)
	content, readErr := os.ReadFile(path)
	if err := errors.Join(err, readErr); err != nil || string(content) != completionScript || info.Mode().Perm()&0o500 != 0o500 {
		t.Errorf("%v: %q, %v", err, content, info.Mode())
	}
	for name, write := range map[string]func() error{
		"another script": func() error { return os.WriteFile(path, []byte("#!/bin/sh\necho mine\n"), 0o755) },
		"a link":         func() error { return os.Symlink(filepath.Join(other, "none"), path) },
	} {
		if err := errors.Join(os.Remove(path), write()); err != nil {
			t.Fatal(err)
		}
		if code, _, errOut := installCompletion(t, "--install"); code != 1 || !strings.Contains(errOut, "it stays as it is") {
			t.Errorf("%s: it ended with %d: %s", name, code, errOut)
		}
	}
	if _, err := os.Lstat(filepath.Join(other, "none")); err == nil {
		t.Error("the link was followed")
	}
	t.Setenv("PATH", other)
	if code, _, errOut := installCompletion(t, "--install"); code != 1 || !strings.Contains(errOut, "which is not this program") {
		t.Errorf("it ended with %d: %s", code, errOut)
	}
	if code := newProgram(&strings.Builder{}, &strings.Builder{}).Run(t.Context(), []string{"completion", "bash", "--install"}); code != 1 {
		t.Errorf("completion bash --install ended with %d", code)
	}
}
