package catalog

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// golden compares with a file under testdata; UPDATE_GOLDEN=1 rewrites it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at the change and run with UPDATE_GOLDEN=1 if it is meant", file)
	}
}

func TestADozenEntries(t *testing.T) {
	c := load(t)
	var matches []Match
	for _, name := range []string{
		"kubernetes", "kubernetes.io/pvc-protection", "foregroundDeletion", "service.k8s.aws/resources",
		"karpenter.sh/termination", "cephcluster.ceph.rook.io", "ceph.rook.io/disaster-protection", "longhorn.io",
		"percona.com/delete-pxc-pvc", "resources-finalizer.argocd.argoproj.io", "cnpg.io/deleteDatabase",
		"kopf.zalando.org/KopfFinalizerMarker",
	} {
		matches = append(matches, c.Lookup(name, Subject{}))
	}
	// Sources move with every release that is read; what a user acts on must not.
	for i := range matches {
		for j := range matches[i].Entries {
			matches[i].Entries[j].Source, matches[i].Entries[j].Component.Source = nil, nil
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(matches); err != nil {
		t.Fatal(err)
	}
	golden(t, "dozen.json", out.Bytes())
}

func TestCommandsCanBeFilledIn(t *testing.T) {
	for _, entry := range load(t).Entries() {
		values := map[string]string{"namespace": "ns", "name": "n", "type": "t"}
		if entry.Pattern != "" {
			pattern, _ := entry.Pattern.compile()
			took, _ := pattern.match(entry.Example)
			for name, value := range took {
				values[name] = value
			}
		}
		for i, step := range entry.Fill(values).Resolution {
			if plain := fill(entry.Resolution[i].Command, values); step.Command != plain {
				t.Errorf("%s:%d: harmless names make %q, want %q", entry.file, entry.line, step.Command, plain)
			}
			// What is left in braces must be a template of kubectl's own: {.status} or {"spec"...}.
			for _, part := range strings.Split(step.Command, "{")[1:] {
				if part == "" || !strings.ContainsAny(part[:1], `."}`+"{") {
					t.Errorf("%s:%d: nothing fills {%s of %q", entry.file, entry.line, part, entry.Resolution[i].Command)
				}
			}
		}
	}
}

// TestHostileNamesInSteps fills the commands of all entries with names that a shell
// would carry out, and has a shell carry out the commands: kubectl does nothing there,
// and no other program is found.
func TestHostileNamesInSteps(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell here")
	}
	dir := t.TempDir()
	for _, name := range []string{"x; touch PWNED #", "$(touch PWNED)", "`touch PWNED`", "it's; touch PWNED", `"; touch PWNED; "`, "a\ntouch PWNED\n"} {
		var script strings.Builder
		script.WriteString("kubectl() { :; }\ntouch() { : > PWNED; }\n")
		for _, entry := range load(t).Entries() {
			for _, step := range entry.Fill(map[string]string{"namespace": name, "name": name, "type": name}).Resolution {
				if !strings.Contains(step.Command, "<") { // which is for the reader to fill in
					script.WriteString(step.Command + "\n")
				}
			}
		}
		script.WriteString("echo all of them\n")
		if err := os.WriteFile(filepath.Join(dir, "script"), []byte(script.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), shell, "script")
		command.Dir, command.Env = dir, []string{"PATH=" + dir}
		if out, err := command.Output(); err != nil || string(out) != "all of them\n" {
			t.Errorf("%q: no shell takes the commands: %v: %s", name, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "PWNED")); err == nil {
			t.Fatalf("%q was carried out", name)
		}
	}
}
