package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pmezard/go-difflib/difflib"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// skew holds what other Kubernetes versions than the one of the golden files lead to: a folder for each minor version, with a
// file for each golden file that differs there, which lists the lines that do.
const skew = "../../testdata/skew"

// skewFile is the file of the lines of a golden file that differ in the Kubernetes version under test.
func skewFile(name, golden string) string {
	v := version.MustParseSemantic(plane.Version())
	return filepath.Join(skew, fmt.Sprintf("v%d.%d", v.Major(), v.Minor()), name, golden+".diff")
}

// differs tells how output differs from a golden file, other than the Kubernetes version under test is known to make it differ.
func differs(t *testing.T, name, file, golden, got string) string {
	t.Helper()
	if plane.Version() == plane.DefaultVersion {
		return cmp.Diff(maskedLines(golden), maskedLines(got))
	}
	known, err := os.ReadFile(skewFile(name, file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return cmp.Diff(strings.Split(string(known), "\n"), strings.Split(changedLines(t, golden, got), "\n"))
}

// saveSkew keeps the lines that differ from a golden file, or removes what was kept where none does any more.
func saveSkew(t *testing.T, name, file, golden, got string) {
	t.Helper()
	path, changed := skewFile(name, file), changedLines(t, golden, got)
	if changed == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// changedLines are the lines that were taken out of one text and put into the other, what is volatile apart. Where they stand
// is left out: it would change with every other line of the golden file.
func changedLines(t *testing.T, golden, got string) string {
	t.Helper()
	unified, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: lines(golden), B: lines(got)})
	if err != nil {
		t.Fatal(err)
	}
	var changed strings.Builder
	for line := range strings.Lines(unified) {
		if strings.HasPrefix(line, "@@") {
			line = "@@\n"
		}
		changed.WriteString(line)
	}
	return changed.String()
}

func lines(text string) []string {
	masked := maskedLines(text)
	for i := range masked {
		masked[i] += "\n"
	}
	return masked
}
