// Words finds phrases that the glossary of this project replaces, and says what to write instead: in the comments and
// strings of Go code, in the catalog's sentences, in the documentation and on the recorded screens.
package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	_, self, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(self), "..", "..", "..")
	n, err := checkTree(os.DirFS(root), os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	case n > 0:
		fmt.Fprintf(os.Stderr, "error: %d phrases to replace; the glossary is test/cmd/words/phrases.go\n", n)
		os.Exit(1)
	}
}

// checkTree prints the phrases to replace in all files of a tree, and counts them.
func checkTree(tree fs.FS, out io.Writer) (count int, err error) {
	rules := rules()
	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skippedFolder(name):
			return fs.SkipDir
		case entry.IsDir() || !isRead(name):
			return nil
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		parts, err := passages(name, content)
		if err != nil {
			return err
		}
		count += printFindings(out, name, parts, rules)
		return nil
	})
	return count, err
}

func printFindings(out io.Writer, name string, parts []passage, rules []rule) int {
	var found []finding
	for _, part := range parts {
		found = append(found, part.check(rules)...)
	}
	found = slices.DeleteFunc(found, func(f finding) bool { return isAllowed(name, f.phrase) })
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.line, b.line) })
	for _, f := range found {
		fmt.Fprintf(out, "%s:%d: %q: say %s\n", name, f.line, f.phrase, f.say)
	}
	return len(found)
}

// skippedFolder reports whether a folder holds nothing to read: Git's own, what is built, this glossary, and pages that
// are generated from code and data that are read.
func skippedFolder(name string) bool {
	return slices.Contains([]string{".git", "bin", "docs/finalizers", "test/cmd/words"}, name)
}

// isRead reports whether a file holds sentences of this project. Recordings and objects hold other people's.
func isRead(name string) bool {
	switch path.Ext(name) {
	case ".go":
		return true
	case ".md": // but for the pages that are generated
		return !slices.Contains([]string{"docs/causes.md", "docs/commands.md", "docs/finalizers.md"}, name)
	case ".txt":
		return strings.Contains(name, "testdata/")
	case ".yaml", ".yml":
		return strings.HasPrefix(name, "pkg/catalog/finalizers/") || path.Base(name) == "story.yaml" || !strings.Contains(name, "/") ||
			strings.HasPrefix(name, "plugins/")
	}
	return name == "Makefile" || strings.HasPrefix(name, ".ci/") || strings.HasPrefix(name, ".githooks/")
}
