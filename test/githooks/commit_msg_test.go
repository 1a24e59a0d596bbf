// Package githooks tests the hooks that contributors may use.
package githooks

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommitMessage(t *testing.T) {
	for name, test := range map[string]struct {
		message string
		refused string // empty where the message is accepted
	}{
		"a subject":                {"explain: show the finalizers of the target", ""},
		"with a body":              {"list: sort by age\n\nThe oldest objects matter most.\n", ""},
		"with comments of Git":     {"\nlist: sort by age\n# Please enter the commit message\n#\n", ""},
		"a package below another":  {"cause/flux: name the missing Secret", ""},
		"72 characters":            {"list: " + strings.Repeat("a", 66), ""},
		"72 wide characters":       {"list: " + strings.Repeat("é", 66), ""},
		"a verb that looks past":   {"report: embed the schema", ""},
		"a verb that ends with ss": {"list: pass the context on", ""},
		"a merge":                  {"Merge branch 'main' into topic", ""},
		"a revert":                 {`Revert "list: sort by age"`, ""},
		"a fixup":                  {"fixup! list: sort by age", ""},

		"no scope":              {"sort by age", `has no "scope: "`},
		"a scope with blanks":   {"the list command: sort by age", "not a command or a package"},
		"a scope with capitals": {"List: sort by age", "not a command or a package"},
		"73 characters":         {"list: " + strings.Repeat("a", 67), "has 73 characters"},
		"a period":              {"list: sort by age.", "ends with a period"},
		"a capital letter":      {"list: Sort by age", "starts with a capital letter"},
		"the past":              {"list: sorted by age", `"sorted", which is not in the imperative`},
		"the present":           {"list: sorts by age", `"sorts", which is not in the imperative`},
		"a gerund":              {"list: sorting by age", `"sorting", which is not in the imperative`},
		"no empty line":         {"list: sort by age\nThe oldest objects matter most.", "is not empty"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "COMMIT_EDITMSG")
			if err := os.WriteFile(file, []byte(test.message), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), "../../.githooks/commit-msg", file)
			command.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			out, err := command.CombinedOutput()
			if refused := err != nil; refused != (test.refused != "") || !strings.Contains(string(out), test.refused) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
