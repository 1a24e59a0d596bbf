// Generate rewrites the pages and schemas of docs that follow from the code, and the screens in other pages.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "..", "..", "..")
	// The help of a flag names a folder of whoever runs this.
	if err := os.Setenv("KUBECACHEDIR", "$HOME/.kube/cache"); err != nil {
		return err
	}
	return errors.Join(
		write(root, "docs/causes.md", causePage), write(root, "docs/commands.md", commandPage),
		finalizerPages(root), schemas(root),
		write(root, "README.md", fillScreens(root, "README.md")),
		write(root, "docs/design.md", fillScreens(root, "docs/design.md")))
}

func write(root, name string, content func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(root, name), b.Bytes(), 0o644)
}
