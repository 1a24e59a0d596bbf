package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// interactiveShell is a shell at a terminal, with the completion of kubectl as its documentation sets it up.
type interactiveShell struct {
	command string
	file    string // that it reads at its start, below the home
	setup   string
}

// prompt says that a shell is ready.
const prompt = "ready> "

var interactiveShells = map[string]interactiveShell{
	"bash": {"bash --noprofile --rcfile ~/.bashrc -i", ".bashrc", `
		source /usr/share/bash-completion/bash_completion
		source <(kubectl completion bash)
		PS1='` + prompt + `'`},
	"zsh": {"zsh -i", ".zshrc", `
		autoload -Uz compinit
		compinit -u
		source <(kubectl completion zsh)
		PS1='` + prompt + `'`},
	"fish": {"fish -i", ".config/fish/config.fish", `
		set -g fish_greeting
		kubectl completion fish | source
		function fish_prompt; echo -n '` + prompt + `'; end`},
}

// What people type and complete with the tab key, and the arguments with which kubectl then runs the plugin.
var typedLines = []struct{ typed, run string }{
	{"kubectl finalizers expl\t", "explain"},
	{"kubectl finalizers explain -n typed-at\t configmap/kept-\t", "explain -n typed-at-shells configmap/kept-by-shells"},
	{"kubectl finalizers list configmaps -n typed-at-shells --finalizer shells.exa\t", "list configmaps -n typed-at-shells --finalizer shells.example.com/keep"},
	{"kubectl finalizers catalog kubernetes.io/pvc-pro\t", "catalog kubernetes.io/pvc-protection"},
}

// TestShellsCompleteThePlugin types at a terminal. A line that was completed is run, so that what the shell has made of it is
// known, however the shell draws it.
func TestShellsCompleteThePlugin(t *testing.T) {
	requireTools(t, "script", "bash", "zsh", "fish", "/usr/share/bash-completion/bash_completion")
	p := sharedPlane(t)
	runSetup(t, p, `
		kubectl create namespace typed-at-shells
		kubectl create configmap -n typed-at-shells kept-by-shells
		kubectl patch configmap -n typed-at-shells kept-by-shells --type=merge -p '{"metadata":{"finalizers":["shells.example.com/keep"]}}'
		kubectl delete configmap -n typed-at-shells kept-by-shells --wait=false`)
	defer runSetup(t, p, `
		kubectl patch configmap -n typed-at-shells kept-by-shells --type=merge -p '{"metadata":{"finalizers":null}}'
		kubectl delete namespace typed-at-shells --wait=false`)
	for name, shell := range interactiveShells {
		t.Run(name, func(t *testing.T) {
			ran := runInShell(t, p, shell)
			for i, line := range typedLines {
				if ran[i] != line.run {
					t.Errorf("of %q the shell makes %q, not %q", line.typed, ran[i], line.run)
				}
			}
		})
	}
}

// runInShell types all lines, and returns the arguments with which the plugin was run for each.
func runInShell(t *testing.T, p *plane.Plane, shell interactiveShell) []string {
	t.Helper()
	home := t.TempDir()
	log, startFile := filepath.Join(home, "ran"), filepath.Join(home, shell.file)
	bin := completionFolder(t)
	writePluginThatNotes(t, bin, log)
	// A fish without this folder reads all man pages at its first start.
	generated := filepath.Join(home, ".local/share/fish/generated_completions")
	if err := errors.Join(os.MkdirAll(filepath.Dir(startFile), 0o700), os.MkdirAll(generated, 0o700), os.WriteFile(startFile, []byte(shell.setup), 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	command := exec.CommandContext(ctx, "script", "-qefc", "stty rows 40 cols 200; exec "+shell.command, os.DevNull)
	command.Env = append(withPath(p.Env(plane.Admin), bin), "HOME="+home, "TERM=xterm", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "ZDOTDIR="+home)
	var shown outputBuffer
	command.Stdout, command.Stderr = &shown, &shown
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.ExtraFiles = []*os.File{held} // which the shell has too
	if err := errors.Join(command.Start(), held.Close()); err != nil {
		t.Fatal(err)
	}
	// The end of its input may reach a shell while it runs a line, and is lost then: its terminal goes away instead. It still writes
	// its history, and has ended when nobody holds the pipe.
	defer func() {
		hangUp()
		_ = command.Wait()
		_, _ = io.Copy(io.Discard, ended)
		_ = ended.Close()
	}()
	for i, line := range typedLines {
		eventually(t, func() error {
			if strings.Count(shown.String(), prompt) <= i {
				return fmt.Errorf("the shell is not ready for line %d:\n%s", i, shown.String())
			}
			return nil
		})
		if _, err := io.WriteString(in, line.typed+"\r"); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			if ran, err := os.ReadFile(log); err != nil || strings.Count(string(ran), "\n") <= i {
				return fmt.Errorf("the shell has not run line %d: %w\n%s", i, err, shown.String())
			}
			return nil
		})
	}
	ran, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(ran), "\n")
}

// writePluginThatNotes replaces the plugin in a folder by one that completes, and otherwise only notes how it was run.
func writePluginThatNotes(t *testing.T, bin, log string) {
	t.Helper()
	path := filepath.Join(bin, "kubectl-finalizers")
	real, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, errOut, code := execute(t, path, []string{"PATH=" + bin, "HOME=" + bin}, "completion", "kubectl", "--install"); code != 0 {
		t.Fatalf("installing the completion: %s", errOut)
	}
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in __complete*) exec '%s' \"$@\";; esac\necho \"$*\" >>'%s'\n", real, log)
	if err := errors.Join(os.Remove(path), os.WriteFile(path, []byte(script), 0o700)); err != nil {
		t.Fatal(err)
	}
}

// requireTools skips a test on a machine that lacks a program or a file. Where all of them are said to be there, as .ci/run
// does after it has installed them, that is a failure.
func requireTools(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		} else if _, statErr := os.Stat(tool); filepath.IsAbs(tool) && statErr == nil {
			continue
		}
		if os.Getenv("TEST_TOOLS") == "all" {
			t.Fatalf("%s is not installed", tool)
		}
		t.Skipf("%s is not installed", tool)
	}
}
