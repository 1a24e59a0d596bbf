package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The programs that commands call, and others that only a name calls.
var (
	programs     = []string{"kubectl", "etcdctl", "argocd", "base64", "clusterctl", "crossplane", "cut", "grep", "head", "helm", "jq", "openssl", "sort", "tail", "uniq", "wc", "xargs"}
	harmPrograms = []string{"touch", "rm", "id", "x"}
)

// stub stands for a program. It writes down for which command it was called, its name and its arguments, and a line that
// it reads where one says so.
const stub = `#!/bin/sh
case "$*" in *"-f -") read -r input; set -- "$@" "$input";; esac
printf '%s\0' "$COMMAND" "${0##*/}" "$#" "$@" >> "$RECORD"
`

// Paste has a shell check all commands without carrying them out, and another carry them out, each in a subshell, where
// only the stubs are on the PATH: each name arrives whole, none is carried out, and none makes a file.
func (c *Commands) Paste(t *testing.T, atLeast int) {
	t.Helper()
	bin, work := t.TempDir(), t.TempDir()
	var check, script strings.Builder
	for i, command := range c.all {
		check.WriteString(command + "\n")
		fmt.Fprintf(&script, "(COMMAND=%d; export COMMAND; eval %s)\n", i, stuck.ShellQuote(command))
	}
	files := map[string]string{"check": check.String(), "script": script.String()}
	for _, name := range slices.Concat(programs, harmPrograms) {
		files[name] = stub
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"-n", filepath.Join(bin, "check")}, {filepath.Join(bin, "script")}} {
		shell := exec.CommandContext(t.Context(), "/bin/sh", args...)
		shell.Dir, shell.Env = work, []string{"PATH=" + bin, "RECORD=" + filepath.Join(bin, "record")}
		if out, err := shell.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("sh %s: %v: %.2000s", args[0], err, out)
		}
	}
	made, err := os.ReadDir(work)
	calls, readErr := os.ReadFile(filepath.Join(bin, "record"))
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	for _, file := range made {
		if extension := filepath.Ext(file.Name()); extension != ".yaml" && extension != ".bin" {
			t.Errorf("a command makes the file %q", file.Name())
		}
	}
	if n := c.checkCalls(t, calls); n < atLeast {
		t.Errorf("only %d commands have hostile names", n)
	}
}

// checkCalls checks what the stubs wrote down, and counts the commands with hostile names.
func (c *Commands) checkCalls(t *testing.T, calls []byte) (hostile int) {
	t.Helper()
	words := make([][]string, len(c.all))
	for fields := strings.Split(string(bytes.TrimSuffix(calls, []byte{0})), "\x00"); len(fields) > 0; {
		i, err := strconv.Atoi(fields[0])
		n, countErr := strconv.Atoi(fields[2])
		if err := errors.Join(err, countErr); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(harmPrograms, fields[1]) {
			t.Errorf("%q runs %q", c.all[i], fields[1:3+n])
		}
		words[i] = append(words[i], fields[3:3+n]...)
		fields = fields[3+n:]
	}
	for i, command := range c.all {
		if len(words[i]) == 0 {
			t.Errorf("%q runs no program", command)
		}
		if !strings.Contains(command, mark) {
			continue
		}
		hostile++
		if problem := c.of[command].check(words[i]); problem != "" {
			t.Errorf("%q: %s: %q", command, problem, words[i])
		}
	}
	return hostile
}
