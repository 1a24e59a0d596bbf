package catalog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// challenge is an object with all the shapes of fields that entries name.
func challenge() map[string]any {
	return map[string]any{
		"metadata": map[string]any{
			"namespace": "shop", "annotations": map[string]any{"example.com/paused": "true"}, "labels": map[string]any{"shard": "a"},
		},
		"spec": map[string]any{
			"issuerRef": map[string]any{"name": "letsencrypt", "kind": "ClusterIssuer"},
			"replicas":  int64(3),
			"parents": []any{
				map[string]any{"name": "front", "namespace": "edge"},
				map[string]any{"name": "back"},
			},
			"secrets": []any{"a", "b"},
		},
	}
}

func TestReferencesOfANeed(t *testing.T) {
	issuers := []Type{"Issuer.cert-manager.io", "ClusterIssuer.cert-manager.io"}
	for name, test := range map[string]struct {
		need Need
		want []Reference
	}{
		"the kind says which type":    {Need{Name: "spec.issuerRef.name", Kind: "spec.issuerRef.kind", Types: issuers}, []Reference{{Field: "spec.issuerRef.name", Type: issuers[1], Name: "letsencrypt"}}},
		"a kind that is none of them": {Need{Name: "spec.issuerRef.name", Kind: "spec.issuerRef.kind", Types: issuers[:1]}, nil},
		"no kind means the first":     {Need{Name: "spec.issuerRef.name", Kind: "spec.issuerRef.type", Types: issuers}, []Reference{{Field: "spec.issuerRef.name", Type: issuers[0], Name: "letsencrypt"}}},
		"a field that is not set":     {Need{Name: "spec.secretRef.name", Types: []Type{"Secret"}}, nil},
		"a field that is an object":   {Need{Name: "spec.issuerRef", Types: []Type{"Secret"}}, nil},
		"with the value it does without": {Need{
			Name: "spec.issuerRef.name", Types: issuers[:1], Unless: []FieldValue{{Field: "spec.issuerRef.kind", Value: "ClusterIssuer"}},
		}, nil},
		"each entry of a list": {Need{Name: "spec.parents[].name", Namespace: "spec.parents[].namespace", Types: []Type{"Gateway.example.com"}}, []Reference{
			{Field: "spec.parents[].name", Type: "Gateway.example.com", Namespace: "edge", Name: "front"}, {Field: "spec.parents[].name", Type: "Gateway.example.com", Name: "back"},
		}},
		"a list of names":   {Need{Name: "spec.secrets[]", Types: []Type{"Secret"}}, []Reference{{Field: "spec.secrets[]", Type: "Secret", Name: "a"}, {Field: "spec.secrets[]", Type: "Secret", Name: "b"}}},
		"a fixed namespace": {Need{Name: "spec.issuerRef.name", Types: []Type{"Secret"}, Namespace: "kube-system"}, []Reference{{Field: "spec.issuerRef.name", Type: "Secret", Namespace: "kube-system", Name: "letsencrypt"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.need.References(challenge())); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFieldValueMatches(t *testing.T) {
	for value, want := range map[FieldValue]bool{
		{Annotation: "example.com/paused"}:                 true,
		{Annotation: "example.com/paused", Value: "true"}:  true,
		{Annotation: "example.com/paused", Value: "false"}: false,
		{Annotation: "example.com/other"}:                  false,
		{Label: "shard", Value: "a"}:                       true,
		{Label: "shard", Value: "b"}:                       false,
		{Field: "spec.replicas", Value: "3"}:               true,
		{Field: "spec.suspend", Value: "true"}:             false,
	} {
		if got := value.Matches(challenge()); got != want {
			t.Errorf("%s = %q: %t, want %t", value, value.Value, got, want)
		}
	}
}

func TestUsageNamesTheObject(t *testing.T) {
	routes := Usage{Type: "HTTPRoute.example.com", Name: "spec.parents[].name", Namespace: "spec.parents[].namespace"}
	for name, test := range map[string]struct {
		usage                 Usage
		kind, namespace, used string
		want                  bool
	}{
		"in the namespace that it names":       {routes, "Gateway", "edge", "front", true},
		"of that name in another":              {routes, "Gateway", "shop", "front", false},
		"in its own, as it names none":         {routes, "Gateway", "shop", "back", true},
		"in another, though it names none":     {routes, "Gateway", "edge", "back", false},
		"an object without a namespace":        {routes, "GatewayClass", "", "front", true},
		"of another name":                      {routes, "Gateway", "edge", "side", false},
		"of another kind":                      {Usage{Name: "spec.issuerRef.name", Kind: "spec.issuerRef.kind"}, "Issuer", "", "letsencrypt", false},
		"of the kind that it names":            {Usage{Name: "spec.issuerRef.name", Kind: "spec.issuerRef.kind"}, "ClusterIssuer", "", "letsencrypt", true},
		"but not with a value that excuses it": {Usage{Name: "spec.issuerRef.name", Unless: []FieldValue{{Label: "shard", Value: "a"}}}, "ClusterIssuer", "", "letsencrypt", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.usage.Uses(challenge(), test.kind, test.namespace, test.used); got != test.want {
				t.Errorf("it uses the object: %t", got)
			}
		})
	}
}

func TestErrorsOfConditionsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"  needs: [{name: spec.ref.name, types: [Secret]}]\n":                                    "purpose is missing",
		"  needs: [{name: 'spec ref', types: [Secret], purpose: x}]\n":                           `"spec ref" is not the path of a field`,
		"  needs: [{name: spec.ref.name, types: [Issuer.a.io, Secret], purpose: x}]\n":           "or several with kind",
		"  needs: [{names: spec.ref.name}]\n":                                                    `unknown field "names"`,
		"  usedBy: [{type: pods, name: spec.x}]\n":                                               `type "pods" must start with the kind`,
		"  paused: [{annotation: a, field: spec.b, resume: {action: change, description: x}}]\n": "name one of field, annotation and label",
		"  paused: [{annotation: a, resume: {action: fix, description: x}}]\n":                   `action "fix" of a step is none of`,
		"  class: [{field: spec.className, type: C.example.com, controller: spec.c}]\n":          "controller and controllers go together",
	} {
		_, err := load(t).With(File{Name: "ours.yaml", Data: []byte(withoutSource(userFile) + text + "  source:\n  - {repository: a/b, path: c}\n")})
		if err == nil || !containsAll(err.Error(), "ours.yaml:", want) {
			t.Errorf("%s gives %v, want %q", text, err, want)
		}
	}
}

func withoutSource(file string) string {
	before, _, _ := strings.Cut(file, "  source:")
	return before
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
