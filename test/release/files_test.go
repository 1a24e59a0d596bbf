package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, folder := range []string{first, second} {
		if err := run(t.Context(), []string{"files", folder}); err != nil {
			t.Fatal(err)
		}
	}
	for name, fragment := range map[string]string{
		"man/kubectl-finalizers.1":                `.SH SEE ALSO`,
		"man/kubectl-finalizers-explain.1":        `explain`,
		"completions/kubectl-finalizers.bash":     `complete -o default`,
		"completions/_kubectl-finalizers":         `#compdef kubectl-finalizers`,
		"completions/kubectl-finalizers.fish":     `complete -c kubectl-finalizers`,
		"completions/kubectl-finalizers.ps1":      `Register-ArgumentCompleter`,
		"completions/kubectl_complete-finalizers": `exec kubectl-finalizers __complete "$@"`,
		"THIRD_PARTY_LICENSES":                    "k8s.io/client-go ",
	} {
		content, err := os.ReadFile(filepath.Join(first, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(content), fragment) {
			t.Errorf("%s does not contain %q", name, fragment)
		}
		again, err := os.ReadFile(filepath.Join(second, name))
		if err != nil || !bytes.Equal(content, again) {
			t.Errorf("%s has other bytes the second time: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(first, "completions/kubectl_complete-finalizers")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the completer of kubectl cannot be executed: %v", err)
	}
}
