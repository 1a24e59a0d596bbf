package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestWords(t *testing.T) {
	const goCode = "package a\n\n"
	tests := map[string]struct {
		file, content string
		want          []string
	}{
		"a string":            {"a.go", goCode + `var a = "webhook X says no"`, []string{`a.go:3: "says no": say rejects, denies`}},
		"a raw string":        {"a.go", goCode + "var a = `one\ntwo is ill`", []string{`a.go:4: "ill": say unhealthy`}},
		"after an escape":     {"a.go", goCode + `var a = "one\ntwo\nill"`, []string{`a.go:3: "ill": say unhealthy`}},
		"a comment, broken":   {"a.go", goCode + "// It stays\n// behind.\nvar a = 1", []string{`a.go:3: "stays behind": say is left behind`}},
		"a list item, broken": {"docs/a.md", "# A\n\n- it does\n  not answer\n", []string{`docs/a.md:3: "does not answer": say `}},
		"with its object":     {"README.md", "Takes the finalizer off.", []string{`README.md:1: "Takes the finalizer off": say remove`}},
		"two in a line":       {"README.md", "A ghost is kept for ever", []string{`"for ever"`, `"ghost"`}},
		"a namespace":         {"a.go", goCode + `var a = "deployment/x in namespace y"`, []string{"-n NAMESPACE"}},
		"the catalog":         {"pkg/catalog/finalizers/a/b.yaml", "- waitsFor: deletes the outer volume\n", []string{`"outer volume": say external`}},
		"a screen":            {"testdata/scenarios/a/screen.txt", "nobody is left to finish it", []string{"nobody is left"}},

		"code":                      {"a.go", goCode + "type ill struct{ ghost int }", nil},
		"the tag of a field":        {"a.go", goCode + "type a struct{ B int `json:\"ghost\"` }", nil},
		"a path":                    {"a.go", goCode + "import \"example.com/ghost\"", nil},
		"a part of a word":          {"README.md", "illegal, still, ill-formed, ghost-writer, a/ghost", nil},
		"a name of a story":         {"README.md", "<!-- screen: node-does-not-answer -->", nil},
		"no more, which is not no":  {"README.md", "it says no more, and is well known", nil},
		"a recording":               {"README.md", "what the recording does not answer", nil},
		"what others wrote":         {"testdata/scenarios/a/recording.yaml", "the ghost is ill", nil},
		"a page that is generated":  {"docs/causes.md", "the ghost is ill", nil},
		"a verdict of other people": {"README.md", "orphaned dependents", nil},
		"what has a reason":         {"pkg/stuck/escape_test.go", goCode + `var a = "all is well"`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			n, err := checkTree(fstest.MapFS{test.file: {Data: []byte(test.content)}}, &out)
			if err != nil || n != len(test.want) {
				t.Errorf("%d found: %v\n%s", n, err, out.String())
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
		})
	}
}
