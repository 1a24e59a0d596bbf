package catalog

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden compares with a file under testdata; UPDATE_GOLDEN=1 writes it anew.
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
			matches[i].Entries[j].Source = nil
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

func TestMarkdown(t *testing.T) {
	c := load(t)
	var out bytes.Buffer
	if err := c.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{"# Known finalizers", "## Kubernetes itself", "### Rook", "#### `service.k8s.aws/resources`"} {
		if !strings.Contains(page, "\n"+want+"\n") && !strings.HasPrefix(page, want+"\n") {
			t.Errorf("the page lacks %s", want)
		}
	}
	ids := map[string]bool{}
	for _, line := range strings.Split(page, "\n") {
		id, found := strings.CutPrefix(line, `<a id="`)
		if !found {
			continue
		}
		if ids[id] {
			t.Errorf("the anchor %s is there twice", id)
		}
		ids[id] = true
	}
	if len(ids) != len(c.Entries()) {
		t.Errorf("the page has %d anchors for %d entries", len(ids), len(c.Entries()))
	}
	for _, entry := range c.Entries() {
		if !ids[entry.Anchor()+`"></a>`] {
			t.Errorf("%s has no anchor %s", entry.Title(), entry.Anchor())
		}
	}
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
		for _, step := range entry.WayOut {
			command := step.Fill(values).Command
			// What is left in braces must be a template of kubectl's own: {.status} or {"spec"...}.
			for _, part := range strings.Split(command, "{")[1:] {
				if part == "" || !strings.ContainsAny(part[:1], `."}`+"{") {
					t.Errorf("%s:%d: nothing fills {%s of %q", entry.file, entry.line, part, step.Command)
				}
			}
		}
	}
}
