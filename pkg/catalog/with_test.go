package catalog

import (
	"strings"
	"testing"
)

const userFile = `area: ours
project: Widget Operator
components:
- name: operator
  namespaces: [widgets]
  workloads: [deployment/widget-operator]
finalizers:
- finalizer: acme.dev/cleanup
  types: [Widget.shop.acme.dev]
  waitsFor: deletes the widget at the factory
  leak: ExternalResources
  leaves: the widget stays at the factory
  steps:
  - action: check
    description: ask the factory
    command: kubectl -n {namespace} describe widget {name}
  source:
  - {repository: acme/widgets, path: main.go}
`

func TestWithKnowsTheUsersOwn(t *testing.T) {
	c, err := load(t).With(File{Name: "ours.yaml", Data: []byte(userFile)})
	if err != nil {
		t.Fatal(err)
	}
	match := c.Lookup("acme.dev/cleanup", subjectOf("Widget", "shop.acme.dev"))
	if match.How != Exact || match.Entries[0].Area != "ours" {
		t.Errorf("the user's own is known %s", match.How)
	}
	if len(c.Entries()) != len(load(t).Entries())+1 {
		t.Error("the built-in entries are no longer all there")
	}
}

func TestTheUsersWordCounts(t *testing.T) {
	own := strings.ReplaceAll(userFile, "acme.dev/cleanup", "kubernetes.io/pvc-protection")
	own = strings.ReplaceAll(own, "Widget.shop.acme.dev", "PersistentVolumeClaim")
	c, err := load(t).With(File{Name: "ours.yaml", Data: []byte(own)})
	if err != nil {
		t.Fatal(err)
	}
	match := c.Lookup("kubernetes.io/pvc-protection", subjectOf("PersistentVolumeClaim", ""))
	if len(match.Entries) != 1 || match.Entries[0].Project != "Widget Operator" {
		t.Errorf("found %d entries, the first of %s", len(match.Entries), match.Entries[0].Project)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	c := load(t)
	for _, broken := range []struct{ name, from, to, want string }{
		{"unknown field", "  leak:", "  leek:", `ours.yaml:11: unknown field "leek"`},
		{"unknown field of the file", "project:", "product:", `ours.yaml:2: unknown field "product"`},
		{"unknown field of a step", "    command:", "    cmd:", `ours.yaml:16: unknown field "cmd"`},
		{"unknown leak", "ExternalResources", "everything", `ours.yaml:8: leak "everything" is none of`},
		{"no name", "- finalizer: acme.dev/cleanup\n  types", "- types", "ours.yaml:8: an entry has either finalizer or pattern"},
		{"bad type", "Widget.shop.acme.dev", "widgets.shop.acme.dev", `ours.yaml:8: type "widgets.shop.acme.dev" must start`},
		{"no source", "  source:\n  - {repository: acme/widgets, path: main.go}\n", "", "ours.yaml:8: source is missing"},
		{"no steps", "  steps:\n  - action: check\n    description: ask the factory\n    command: kubectl -n {namespace} describe widget {name}\n", "", "ours.yaml:8: steps is empty"},
		{"unknown verb", "  types:", "  verbs: [patch, delete]\n  types:", `ours.yaml:8: verb "delete" is neither update nor patch`},
		{"unknown component", "  types:", "  component: other\n  types:", `ours.yaml:8: component "other" is not among`},
		{"list for a value", "types: [Widget.shop.acme.dev]", "types: Widget.shop.acme.dev", "ours.yaml:9: found a single value where a list"},
		{"no area", "area: ours\n", "", "ours.yaml:1: area is missing"},
		{"no project", "project: Widget Operator\n", "", "ours.yaml:1: project is missing"},
		{"bad workload", "deployment/widget-operator", "widget-operator", `ours.yaml:4: workload "widget-operator" is not kind/name`},
		{"bad label", "  namespaces: [widgets]", "  labels: [widgets]", `ours.yaml:4: label "widgets" is not key=value`},
		{"unknown remover", "  namespaces: [widgets]", "  removedBy: nobody", `ours.yaml:4: removedBy "nobody" is none of`},
		{"hosted without a place", "  namespaces: [widgets]", "  removedBy: cloud\n  hosted: {steps: [{action: check, description: x}]}", "ours.yaml:4: hosted: where is missing"},
		{"a pause of a component", "  namespaces: [widgets]", "  paused: [{annotation: a, resume: {action: change}}]", "ours.yaml:4: paused: resume: description of a step is missing"},
		{"a component that no entry uses", "finalizers:", "- name: unused\n  class: [{field: spec.className, type: classes}]\nfinalizers:", `ours.yaml:7: class: type "classes" must start with the kind`},
		{"not YAML", "area: ours", "area: [", "ours.yaml:3: did not find expected ',' or ']'"},
		{"not YAML further down", "components:", "components: [", "ours.yaml:4: did not find expected node content"},
		{"a line that is out of place", "  leaves: ", " leaves: ", "ours.yaml:12: did not find expected key"},
		{"a tab", "  leak: ", "\tleak: ", "ours.yaml:10: found a tab character"},
		{"two colons", "project: Widget Operator", "project: Widget: Operator", "ours.yaml:2: mapping values are not allowed"},
		{"a field twice", "  leak: External", "  leak: Data\n  leak: External", `ours.yaml:12: mapping key "leak" already defined`},
		{"no list of names", "namespaces: [widgets]", "namespaces: [{a: b}]", "ours.yaml:5: cannot unmarshal"},
		{"an empty file", userFile, "", "ours.yaml:1: the file is empty"},
		{"nothing but dashes", userFile, "---\n---\n", "ours.yaml:1: the file is empty"},
		{"a broken second document", "area: ours", "area: ours\n---\nproduct: x", `ours.yaml:1: project is missing`},
		{"pattern without example", "finalizer: acme.dev/cleanup", "pattern: acme.dev/<name>", `ours.yaml:8: example "" is not taken`},
		{"all is placeholder", "finalizer: acme.dev/cleanup", "example: x\n  pattern: <name>", "ours.yaml:8: pattern \"<name>\" must hold both"},
	} {
		t.Run(broken.name, func(t *testing.T) {
			data := strings.Replace(userFile, broken.from, broken.to, 1)
			_, err := c.With(File{Name: "ours.yaml", Data: []byte(data)})
			if err == nil || !strings.Contains(err.Error(), broken.want) {
				t.Errorf("the error is %v, want %s", err, broken.want)
			}
		})
	}
}

func TestDoubleEntriesAreRefused(t *testing.T) {
	_, entry, _ := strings.Cut(userFile, "finalizers:\n")
	_, err := load(t).With(File{Name: "ours.yaml", Data: []byte(userFile + entry)})
	want := `ours.yaml:19: "acme.dev/cleanup" on Widget.shop.acme.dev is already described at ours.yaml:8`
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// Nothing in a file is passed over in silence.
func TestAFileOfSeveralDocuments(t *testing.T) {
	second := strings.ReplaceAll(userFile, "acme.dev/cleanup", "acme.dev/second")
	for _, between := range []string{"---\n", "---\n---\n", "...\n---\n# the rest\n"} {
		c, err := load(t).With(File{Name: "ours.yaml", Data: []byte("---\n" + userFile + between + second + "---\n")})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"acme.dev/cleanup", "acme.dev/second"} {
			if match := c.Lookup(name, subjectOf("Widget", "shop.acme.dev")); match.How != Exact {
				t.Errorf("after %q, %s is known %s", between, name, match.How)
			}
		}
	}
	_, err := load(t).With(File{Name: "ours.yaml", Data: []byte(userFile + "---\n" + strings.Replace(second, "leak:", "leek:", 1))})
	if err == nil || !strings.HasPrefix(err.Error(), `ours.yaml:30: unknown field "leek"`) {
		t.Errorf("a mistake in the second document gives %v", err)
	}
	_, err = load(t).With(File{Name: "ours.yaml", Data: []byte(userFile + "---\n" + userFile)})
	if err == nil || !strings.Contains(err.Error(), "is already described at ours.yaml:8") {
		t.Errorf("the same entry in both documents gives %v", err)
	}
}
