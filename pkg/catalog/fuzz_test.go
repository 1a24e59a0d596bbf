package catalog

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ownLine begins each line of an error about a file of one's own.
var ownLine = regexp.MustCompile(`^own\.yaml:[0-9]+: ?`)

// FuzzWith reads files of users, which may hold anything: each line of an error names the file and a line of it, and what is taken
// is found by its name on the types that it lists, with commands into which every name fits.
func FuzzWith(f *testing.F) {
	files, err := embeddedFiles()
	if err != nil {
		f.Fatal(err)
	}
	for i := 0; i < len(files); i += len(files) / 20 { // the names of the folders tell the area
		f.Add(append([]byte("area: ours\n"), files[i].Data...))
	}
	f.Add([]byte(userFile))
	f.Add([]byte(userFile + "---\n" + strings.ReplaceAll(userFile, "cleanup", "second")))
	f.Add([]byte(strings.ReplaceAll(userFile, "finalizer: acme.dev/cleanup", "pattern: acme.dev/<name>\n  example: acme.dev/a")))
	f.Add([]byte("project: Example\nfinalizers:\n- name: example.com/hold\n  waitsFor: a backup\n  leak: Nothing\n"))
	f.Add([]byte("a: &a [*a]\n---\nb: !!binary x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := new(Catalog).With(File{Name: "own.yaml", Data: data})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !ownLine.MatchString(line) {
					t.Errorf("a line of the error does not name the file: %q", err)
				}
			}
			return
		}
		for _, e := range c.refs {
			if e.name().text == "" || e.entry().Name() != e.name().text {
				t.Errorf("%q is listed as %q", e.entry().Name(), e.name().text)
			}
			wantFound(t, c, e.entry())
		}
	})
}

// wantFound looks an entry up by its name, or by the example of its pattern.
func wantFound(t *testing.T, c *Catalog, e Entry) {
	t.Helper()
	name, how := e.Finalizer, Exact
	if e.Pattern != "" {
		name, how = e.Example, ByPattern
	}
	for _, typ := range e.Types {
		on := Subject{Kind: typ.GroupKind().Kind, Group: typ.GroupKind().Group}
		m := c.Lookup(name, on)
		if m.How != how && m.How != Exact || len(m.Entries) == 0 {
			t.Errorf("%q on %s is known %s, with %d entries", name, typ, m.How, len(m.Entries))
			continue
		}
		const hostile = "a'; touch /tmp/x; '"
		for _, step := range m.Resolution(hostile, hostile) {
			if plain := strings.ReplaceAll(step.Command, stuck.ShellQuote(hostile), ""); strings.Contains(plain, hostile) {
				t.Errorf("a name stands in %q without quotes", step.Command)
			}
		}
	}
}
