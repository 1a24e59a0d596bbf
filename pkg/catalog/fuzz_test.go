package catalog

import (
	"strings"
	"testing"
)

// FuzzWith reads files of users, which may hold anything: an error names the file, and what is taken is found by its name.
func FuzzWith(f *testing.F) {
	for _, name := range []string{"gitops/flux.yaml", "gitops/kro.yaml"} {
		data, err := embedded.ReadFile("finalizers/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("project: Example\nfinalizers:\n- name: example.com/hold\n  waitsFor: a backup\n  leak: Nothing\n"))
	f.Add([]byte("a: &a [*a]\n---\nb: !!binary x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := new(Catalog).With(File{Name: "own.yaml", Data: data})
		if err != nil {
			if !strings.Contains(err.Error(), "own.yaml") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		for _, e := range c.refs {
			if e.name().text == "" || e.entry().Name() != e.name().text {
				t.Errorf("%q is listed as %q", e.entry().Name(), e.name().text)
			}
		}
	})
}
