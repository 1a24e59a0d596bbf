package cmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const scenarios = "../../testdata/scenarios"

// extendedTypes are the types of a fresh control plane and some of others.
func extendedTypes(t testing.TB) servedTypes {
	t.Helper()
	fresh, err := recording.LoadTypes(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	custom := func(group, plural, kind string, more ...string) stuck.Type {
		return stuck.Type{
			Group: group, Version: "v1", Resource: plural, Kind: kind, SingularName: strings.ToLower(kind),
			ShortNames: more, Categories: []string{"ours"}, Namespaced: true, Listable: true,
		}
	}
	nameless := custom("extension.example.com", "samples", "Sample")
	nameless.SingularName, nameless.Categories = "", nil
	asked := custom("extension.example.com", "reviews", "Review")
	asked.Listable = false
	return servedTypes{types: append(fresh,
		nameless, asked,
		custom("a.example.com", "alphas", "Alpha", "widget", "wid"),
		custom("b.example.com", "widgets", "Widget"),
		custom("c.example.com", "widgets", "Widget"),
		custom("d.example.com", "pods", "Deployment"),
	)}
}

func TestOneType(t *testing.T) {
	tests := map[string]struct{ word, want string }{
		"plural":                                 {"pods", "pods"},
		"singular":                               {"pod", "pods"},
		"short name":                             {"po", "pods"},
		"short name with group":                  {"deploy.apps", "deployments.apps"},
		"kind, as written in a file":             {"PersistentVolumeClaim", "persistentvolumeclaims"},
		"capitals":                               {"PODS", "pods"},
		"plural and group":                       {"deployments.apps", "deployments.apps"},
		"plural, version and group":              {"deployments.v1.apps", "deployments.apps"},
		"plural, version and no group":           {"pods.v1.", "pods"},
		"kind of one group and of Kubernetes":    {"deployment", "deployments.apps"},
		"the same with its group":                {"deployment.d.example.com", "pods.d.example.com"},
		"plural of two groups: the first":        {"widgets", "widgets.b.example.com"},
		"the second, by its group":               {"widgets.c.example.com", "widgets.c.example.com"},
		"a name before a short name":             {"widget", "widgets.b.example.com"},
		"a short name that is nobody's name":     {"wid", "alphas.a.example.com"},
		"what cannot be listed may be explained": {"reviews", "reviews.extension.example.com"},
		"a type that has no singular":            {"sample", "samples.extension.example.com"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := extendedTypes(t).resolve(test.word)
			if err != nil || got.String() != test.want {
				t.Errorf("%q is %s, not %s; %v", test.word, got, test.want, err)
			}
		})
	}
}

func TestTypesThatAreNotServed(t *testing.T) {
	for name, word := range map[string]string{
		"unknown": "gizmos", "another group": "pods.example.com", "another version": "deployments.v9.apps",
		"nothing": "", "a group alone": ".apps", "a subresource": "pods/status", "blank": " ",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := extendedTypes(t).resolve(word); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is %s; %v", word, got, err)
			}
		})
	}
	missing := extendedTypes(t)
	missing.gaps = []stuck.Gap{{Source: "/apis/gone.example.com/v1", Error: "stale"}}
	if _, err := missing.resolve("gizmos"); err == nil || !strings.Contains(err.Error(), "/apis/gone.example.com/v1") {
		t.Errorf("it may be one that was not discovered, but the error is %v", err)
	}
}

func TestParseTargets(t *testing.T) {
	tests := map[string]struct {
		args []string
		want []string
	}{
		"nothing":                {},
		"a type":                 {args: []string{"pods"}, want: []string{"pods/"}},
		"types":                  {args: []string{"po,svc"}, want: []string{"pods/", "services/"}},
		"a type and names":       {args: []string{"pod", "a", "b"}, want: []string{"pods/a", "pods/b"}},
		"types and a name":       {args: []string{"po,svc", "a"}, want: []string{"pods/a", "services/a"}},
		"objects":                {args: []string{"ns/shop", "deploy.apps/web"}, want: []string{"namespaces/shop", "deployments.apps/web"}},
		"a category":             {args: []string{"ours"}, want: []string{"alphas.a.example.com/", "widgets.b.example.com/", "widgets.c.example.com/", "pods.d.example.com/"}},
		"a name with a dot":      {args: []string{"crd/widgets.b.example.com"}, want: []string{"customresourcedefinitions.apiextensions.k8s.io/widgets.b.example.com"}},
		"a name like a category": {args: []string{"ns", "all"}, want: []string{"namespaces/all"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			targets, err := parseTargets(extendedTypes(t), test.args)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, target := range targets {
				got = append(got, target.Type.String()+"/"+target.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
		})
	}
}

func TestArgumentsThatNameNothing(t *testing.T) {
	for name, args := range map[string][]string{
		"no type": {"/web"}, "no name": {"pod/"}, "too much": {"pod/web/log"}, "a name alone": {"pod/web", "db"},
		"both ways at once": {"pod", "svc/web"}, "no type after a comma": {"pods,"}, "nothing": {""},
		"what cannot be listed": {"reviews"}, "a category of one object": {"ours/web"}, "types of one object": {"po,svc/web"},
	} {
		t.Run(name, func(t *testing.T) {
			if targets, err := parseTargets(extendedTypes(t), args); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q are %v; %v", args, targets, err)
			}
		})
	}
}

func FuzzOneType(f *testing.F) {
	for _, seed := range []string{"pods", "deploy.apps", "pods.v1.", "", ".", "..", "Widget.b.example.com", "wid.a"} {
		f.Add(seed)
	}
	served := extendedTypes(f)
	f.Fuzz(func(t *testing.T, word string) {
		got, err := served.resolve(word)
		if err != nil {
			if got.Resource != "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is both %s and %q", word, got, err)
			}
			return
		}
		// What is found is what was named, and is found by its full name.
		name, _, _ := strings.Cut(strings.ToLower(word), ".")
		if name == "" || !byName(got, name) && !byShortName(got, name) && !byKind(got, name) {
			t.Errorf("%q is %s", word, got)
		}
		full := got.Resource + "." + got.Version + "." + got.Group
		if again, err := served.resolve(full); err != nil || again.GVR() != got.GVR() {
			t.Errorf("%q is %s, but %q is %s; %v", word, got, full, again, err)
		}
	})
}
