package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// load reads the built-in catalog for a test.
func load(t testing.TB) *Catalog {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryEntryCanBeActedOn(t *testing.T) {
	for _, entry := range load(t).Entries() {
		if len(entry.Component.Workloads) > 0 && len(entry.Component.Namespaces) == 0 {
			t.Errorf("%s:%d: %s names a workload but no namespace to look in", entry.file, entry.line, entry.Name())
		}
		for _, step := range entry.Resolution {
			verb, _, _ := strings.Cut(step.Description, " ")
			if step.Action == stuck.ActionCheck && slices.Contains([]string{"delete", "start", "restart", "remove", "let"}, verb) {
				t.Errorf("%s:%d: %s: a check only reads: %s", entry.file, entry.line, entry.Name(), step.Description)
			}
			if strings.Contains(step.Command, "force-remove") || strings.Contains(step.Command, `"finalizers":`) {
				t.Errorf("%s:%d: %s offers force as a step", entry.file, entry.line, entry.Name())
			}
		}
	}
}

func TestNamesFindThemselves(t *testing.T) {
	c := load(t)
	for _, entry := range c.Entries() {
		name, how := entry.Finalizer, Exact
		if entry.Pattern != "" {
			name, how = entry.Example, ByPattern
		}
		match := c.Lookup(name, Subject{})
		found := slices.ContainsFunc(match.Entries, func(e Entry) bool { return e.Name() == entry.Name() })
		// An example may be listed exactly as well, and then the exact entry is the better answer.
		if match.How != how && match.How != Exact || match.How == how && !found {
			t.Errorf("%s:%d: %s is found %s as %v", entry.file, entry.line, name, match.How, match.Entries)
		}
	}
}

// A pattern may take names that its own project lists one by one, and no other project's.
func TestNoPatternSwallowsAnothersNames(t *testing.T) {
	// One name in a family may be another's, when that other lists it exactly: the exact entry is what is found.
	known := map[string]string{"deletion.finalizers.rabbitmqclusters.rabbitmq.com": "RabbitMQ Cluster Operator"}
	c := load(t)
	for _, entry := range c.Entries() {
		name := entry.Finalizer
		if name == "" {
			name = entry.Example
		}
		c.patterns.find(name, func(p candidate, _ map[string]string) bool {
			if taker := c.refs[p.entry].entry(); taker.Project != entry.Project && known[name] != entry.Project {
				t.Errorf("%s of %s takes %s of %s", taker.Pattern, taker.Project, name, entry.Project)
			}
			return true
		})
		for _, found := range c.Lookup(name, Subject{}).Entries {
			if found.Project != entry.Project && found.Name() != entry.Name() {
				t.Errorf("%s of %s is answered with %s of %s", name, entry.Project, found.Name(), found.Project)
			}
		}
	}
}

func TestFilesAreSorted(t *testing.T) {
	files, err := embeddedFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		entries, err := parseFile(file, areaOf(file))
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, entry := range entries {
			titles = append(titles, entry.Name())
		}
		if !slices.IsSorted(titles) {
			t.Errorf("%s: the finalizers are not in the order of their names", file.Name)
		}
		for i, line := range strings.Split(string(file.Data), "\n") {
			// A command and a path cannot be broken without changing them.
			unbroken := strings.Contains(line, "command:") || strings.Contains(line, "path:")
			if len(line) > 120 && !unbroken {
				t.Errorf("%s:%d: wrap this line, it has %d letters", file.Name, i+1, len(line))
			}
		}
	}
}

func TestSelectsNeedsEveryLabel(t *testing.T) {
	component := Component{Labels: []string{"app=gardener", "role=gardenlet"}}
	for _, pod := range []struct {
		labels map[string]string
		want   bool
	}{
		{map[string]string{"app": "gardener", "role": "gardenlet", "more": "x"}, true},
		{map[string]string{"app": "gardener", "role": "scheduler"}, false},
		{map[string]string{"app": "gardener"}, false},
		{nil, false},
	} {
		if got := component.MatchesLabels(pod.labels); got != pod.want {
			t.Errorf("%v selects %v: %v, want %v", component.Labels, pod.labels, got, pod.want)
		}
	}
	if (Component{}).MatchesLabels(map[string]string{"app": "gardener"}) {
		t.Error("a component without labels selects a pod")
	}
}

// A label that half of all operators carry would find the wrong workload.
func TestLabelsTellComponentsApart(t *testing.T) {
	for _, entry := range load(t).Entries() {
		labels := entry.Component.Labels
		if len(labels) == 1 && labels[0] == "control-plane=controller-manager" {
			t.Errorf("%s:%d: %s is found by %s, which says nothing", entry.file, entry.line, entry.Name(), labels[0])
		}
	}
}

// What was once known must not get lost by an edit.
func TestTheCatalogStaysWide(t *testing.T) {
	entries := load(t).Entries()
	projects := map[string]bool{}
	for _, entry := range entries {
		projects[entry.Project] = true
	}
	if len(entries) < 2600 || len(projects) < 550 {
		t.Errorf("%d entries of %d projects are left", len(entries), len(projects))
	}
}

// Loading trusts the built-in files, and reads each when it is first asked for; so this reads them all.
func TestTheBuiltInFilesCanBeTrusted(t *testing.T) {
	files, err := embeddedFiles()
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseAll(files, areaOf)
	if err != nil {
		t.Fatal(err)
	}
	if err := findDuplicate(all); err != nil {
		t.Error(err)
	}
	for _, file := range files {
		entries, err := parseFile(file, areaOf(file))
		if err != nil {
			t.Fatal(err)
		}
		if read, promised := loadedFile(entries).names, scanNames(file.Data); !slices.Equal(read, promised) {
			t.Errorf("%s: the text promises %v and holds %v: begin each entry with its name", file.Name, promised, read)
		}
		for _, entry := range entries {
			if slices.ContainsFunc(entry.Source, func(s Source) bool { return s.Ref == "" }) {
				t.Errorf("%s:%d: %s was read in no version: say which", file.Name, entry.line, entry.Name())
			}
		}
	}
}

// A class that does not exist is a cause of its own: an entry that needs it too names it twice.
func TestNeedsAreNotClasses(t *testing.T) {
	for _, e := range load(t).Entries() {
		for _, need := range e.Needs {
			for _, class := range slices.Concat(e.Class, e.Component.Class) {
				if need.Text() == class.String() {
					t.Errorf("%s:%d: %s needs the class that %s names, and says so in class", e.file, e.line, e.Name(), need.Text())
				}
			}
		}
	}
}
