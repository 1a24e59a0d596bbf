// Krew writes plugins/finalizers.yaml for a release, from .krew.yaml and the checksums of its archives.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/krew"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: krew TAG CHECKSUMS")
		os.Exit(1)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(tag, checksums string) error {
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "..", "..", "..")
	template, err := os.ReadFile(filepath.Join(root, ".krew.yaml"))
	if err != nil {
		return fmt.Errorf("reading the template: %w", err)
	}
	sums, err := os.ReadFile(filepath.Clean(checksums))
	if err != nil {
		return fmt.Errorf("reading the checksums: %w", err)
	}
	manifest, err := krew.Manifest(string(template), tag, string(sums))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "plugins", "finalizers.yaml"), []byte(manifest), 0o600); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	return nil
}
