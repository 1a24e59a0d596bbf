// Package docs_test checks the pages. It is in their module, because Go caches the result of a test that reads files of another one.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
)

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
)

// TestLinks follows the links from page to page. Those to other sites are not followed.
func TestLinks(t *testing.T) {
	followed, named := 0, map[string]map[string]bool{} // the anchors of each page
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages are %s: %v", pattern, err)
		}
		for _, page := range pages {
			for _, found := range link.FindAllStringSubmatch(prose(t, page), -1) {
				target, fragment, _ := strings.Cut(found[1], "#")
				if strings.Contains(target, "://") {
					continue
				}
				followed++
				path := page
				if target != "" {
					path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
				}
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s links to %s, which does not exist", page, found[1])
					continue
				}
				if fragment != "" && named[path] == nil {
					named[path] = anchors(t, path)
				}
				if fragment != "" && !named[path][fragment] {
					t.Errorf("%s links to %s, which has no such heading", page, found[1])
				}
			}
		}
	}
	if followed < 100 {
		t.Errorf("only %d links were found", followed)
	}
}

// TestCausesCanBeLinkedTo holds that each id of a cause, as screens and reports print it, is an anchor of docs/causes.md.
func TestCausesCanBeLinkedTo(t *testing.T) {
	known := anchors(t, "causes.md")
	for _, cause := range diagnose.Causes() {
		if !known[cause.ID] {
			t.Errorf("docs/causes.md#%s does not exist", cause.ID)
		}
	}
}

// TestLibraryPageShowsCodeThatRuns holds that the function in docs/library.md is the one that an example runs.
func TestLibraryPageShowsCodeThatRuns(t *testing.T) {
	page, err := os.ReadFile("library.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join("..", "pkg", "finalizers", "example_cleanup_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, found := strings.Cut(code, "\n```")
	if !found || !strings.Contains(string(example), code) {
		t.Errorf("the code is not in example_cleanup_test.go:\n%s", code)
	}
}

// prose is a page without its code blocks.
func prose(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return fence.ReplaceAllString(string(text), "")
}

// anchors are what links to a page can name: its headings, as GitHub names them, and the anchors written in it.
func anchors(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, all := prose(t, page), map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		name := headingAnchor(found[1])
		for n := 1; all[name]; n++ {
			name = headingAnchor(found[1]) + "-" + strconv.Itoa(n)
		}
		all[name] = true
	}
	for _, found := range anchor.FindAllStringSubmatch(text, -1) {
		all[found[1]] = true
	}
	return all
}

// headingAnchor is a heading as GitHub makes an anchor of it: in lower case, without punctuation, with dashes for spaces.
func headingAnchor(text string) string {
	return strings.Map(func(char rune) rune {
		switch {
		case char == ' ':
			return '-'
		case char == '-', char == '_', unicode.IsLetter(char), unicode.IsDigit(char):
			return unicode.ToLower(char)
		}
		return -1
	}, text)
}
