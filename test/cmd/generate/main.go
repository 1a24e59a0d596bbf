// Generate rewrites what is generated: the list of causes in pkg/cause and the
// pages of docs that follow from the code.
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
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run writes either the list of causes or the pages. They are two runs because
// the pages speak of the causes that are compiled in, by that list.
func run(args []string) error {
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "..", "..", "..")
	if len(args) != 1 {
		return errors.New("usage: generate list|pages")
	}
	switch args[0] {
	case "list":
		return write(root, "pkg/cause/zz_causes.go", func(b *bytes.Buffer) error {
			return causeList(b, filepath.Join(root, "pkg", "cause"))
		})
	case "pages":
		return errors.Join(
			write(root, "docs/causes.md", causePage), write(root, "docs/commands.md", commandPage),
			finalizerPages(root), write(root, "README.md", readme(root)))
	}
	return fmt.Errorf("there is nothing called %q to generate", args[0])
}

func write(root, name string, content func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := content(&b); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(root, name), b.Bytes(), 0o644)
}
