package catalog

import (
	"strings"
	"testing"
)

func TestErrorsOfScopesNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"[{flag: --a, env: B}]":        "scope: name one of flag, env and ownNamespace",
		"[{own: [x]}]":                 "scope: name one of flag, env and ownNamespace",
		"[{flag: a}]":                  `scope: flag "a" does not begin with two dashes`,
		"[{env: A=b}]":                 `scope: "A=b" is not a name`,
		"[{ownNamespace: true}]":       "scope: ownNamespace goes with extend, and without own",
		"[{env: A, extend: {}}]":       "scope: extend: description of a step is missing",
		"[{env: A, namespaces: true}]": `unknown field "namespaces"`,
	} {
		file := strings.Replace(userFile, "  namespaces: [widgets]\n", "  scope: "+text+"\n", 1)
		_, err := load(t).With(File{Name: "ours.yaml", Data: []byte(file)})
		if err == nil || !containsAll(err.Error(), "ours.yaml:", want) {
			t.Errorf("%s gives %v, want %q", text, err, want)
		}
	}
}

// The step of a scope is filled in as the others are, and the catalog's own copy stays as it is.
func TestScopeStepIsFilledIn(t *testing.T) {
	scope := "  scope:\n  - env: ONLY\n    extend: {action: check, description: look, command: \"kubectl -n {namespace} get farms\"}\n"
	c, err := load(t).With(File{Name: "ours.yaml", Data: []byte(strings.Replace(userFile, "finalizers:\n", scope+"finalizers:\n", 1))})
	if err != nil {
		t.Fatal(err)
	}
	match := c.Lookup("acme.dev/cleanup", subjectOf("Widget", "shop.acme.dev"))
	if got := match.Entry("shop", "w1").Component.Scope[0].Extend.Command; got != "kubectl -n shop get farms" {
		t.Errorf("the command is %q", got)
	}
	if got := match.Entries[0].Component.Scope[0].Extend.Command; got != "kubectl -n {namespace} get farms" {
		t.Errorf("the catalog's own command became %q", got)
	}
}

func TestScopeText(t *testing.T) {
	for want, scope := range map[string]Scope{
		"the namespaces in --only, if it is set":                    {Flag: "--only"},
		"its own namespace only, with ALL=false or without ALL":     {Env: "ALL", Own: []string{"false", ""}},
		"its own namespace only, with --watch-all-namespaces=false": {Flag: "--watch-all-namespaces", Own: []string{"false"}},
		"its own namespace only":                                    {OwnNamespace: true},
	} {
		if got := scope.Text(); got != want {
			t.Errorf("%+v: %s, want %s", scope, got, want)
		}
	}
}
