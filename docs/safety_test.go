package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest    = regexp.MustCompile("`(Test[A-Za-z]+)`")
	declaredTest = regexp.MustCompile(`(?m)^func (Test[A-Za-z]+)\(`)
)

// TestPromisesAreTested holds that each test that docs/safety.md names for a promise exists, once.
func TestPromisesAreTested(t *testing.T) {
	declared := map[string]int{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, found := range declaredTest.FindAllStringSubmatch(string(content), -1) {
			declared[found[1]]++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("safety.md")
	if err != nil {
		t.Fatal(err)
	}
	promises := namedTest.FindAllStringSubmatch(string(page), -1)
	for _, found := range promises {
		if n := declared[found[1]]; n != 1 {
			t.Errorf("%s is declared %d times", found[1], n)
		}
	}
	if len(promises) < 20 {
		t.Errorf("only %d tests are named", len(promises))
	}
}
