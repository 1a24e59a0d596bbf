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
			"empty":   map[string]any{},
			"core":    map[string]any{"name": "settings", "kind": "ConfigMap", "apiVersion": "v1"},
			"infra":   map[string]any{"name": "vm", "kind": "Machine", "apiVersion": "infra.example.com/v1"},
		},
		"status": map[string]any{"conditions": []any{
			map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Paused", "status": "False"},
		}},
	}
}

func TestReferencesOfALink(t *testing.T) {
	issuers := []Type{"Issuer.cert-manager.io", "ClusterIssuer.cert-manager.io"}
	for name, test := range map[string]struct {
		link Link
		want []Reference
	}{
		"the kind says which type":    {Link{Naming: Naming{Name: "spec.issuerRef.name"}, Kind: "spec.issuerRef.kind", Types: issuers}, []Reference{{NamedBy: "spec.issuerRef.name", Type: issuers[1], Name: "letsencrypt"}}},
		"a kind that is none of them": {Link{Naming: Naming{Name: "spec.issuerRef.name"}, Kind: "spec.issuerRef.kind", Types: issuers[:1]}, nil},
		"no kind means the first":     {Link{Naming: Naming{Name: "spec.issuerRef.name"}, Kind: "spec.issuerRef.type", Types: issuers}, []Reference{{NamedBy: "spec.issuerRef.name", Type: issuers[0], Name: "letsencrypt"}}},
		"a field that is not set":     {Link{Naming: Naming{Name: "spec.secretRef.name"}, Types: []Type{"Secret"}}, nil},
		"a field that is an object":   {Link{Naming: Naming{Name: "spec.issuerRef"}, Types: []Type{"Secret"}}, nil},
		"each entry of a list": {Link{Naming: Naming{Name: "spec.parents[].name"}, Namespace: "spec.parents[].namespace", Types: []Type{"Gateway.example.com"}}, []Reference{
			{NamedBy: "spec.parents[].name", Type: "Gateway.example.com", Namespace: "edge", Name: "front"}, {NamedBy: "spec.parents[].name", Type: "Gateway.example.com", Name: "back"},
		}},
		"a kind of a group of the types": {
			Link{Naming: Naming{Name: "spec.infra.name"}, Kind: "spec.infra.kind", Group: "spec.infra.apiVersion", Types: []Type{"*.infra.example.com"}},
			[]Reference{{NamedBy: "spec.infra.name", Type: "Machine.infra.example.com", Name: "vm"}},
		},
		"the core group": {
			Link{Naming: Naming{Name: "spec.core.name"}, Kind: "spec.core.kind", Group: "spec.core.apiVersion", Types: []Type{"*"}},
			[]Reference{{NamedBy: "spec.core.name", Type: "ConfigMap", Name: "settings"}},
		},
		"a group that is none of them": {Link{Naming: Naming{Name: "spec.infra.name"}, Kind: "spec.infra.kind", Group: "spec.infra.apiVersion", Types: []Type{"*.other.example.com"}}, nil},
		"no group":                     {Link{Naming: Naming{Name: "spec.infra.name"}, Kind: "spec.infra.kind", Group: "spec.infra.apiGroup", Types: []Type{"*.infra.example.com"}}, nil},
		"a list of names":              {Link{Naming: Naming{Name: "spec.secrets[]"}, Types: []Type{"Secret"}}, []Reference{{NamedBy: "spec.secrets[]", Type: "Secret", Name: "a"}, {NamedBy: "spec.secrets[]", Type: "Secret", Name: "b"}}},
		"a label holds the name": {
			Link{Naming: Naming{Label: "shard", Prefix: "shard-", Suffix: "-config"}, Types: []Type{"Secret"}},
			[]Reference{{NamedBy: "label shard with prefix shard- with suffix -config", Type: "Secret", Name: "shard-a-config"}},
		},
		"an annotation holds the name": {Link{Naming: Naming{Annotation: "example.com/paused"}, Types: []Type{"Secret"}}, []Reference{{NamedBy: "annotation example.com/paused", Type: "Secret", Name: "true"}}},
		"a label that is not set":      {Link{Naming: Naming{Label: "owner", Suffix: "-config"}, Types: []Type{"Secret"}}, nil},
		"a field that has a default":   {Link{Naming: Naming{Name: "spec.class", Default: "main"}, Types: []Type{"Secret"}}, []Reference{{NamedBy: "spec.class", Type: "Secret", Name: "main"}}},
		"a fixed name":                 {Link{Fixed: "cloud", Namespace: "kube-system", Types: []Type{"Secret"}}, []Reference{{Type: "Secret", Namespace: "kube-system", Name: "cloud"}}},
		"a fixed name in a namespace that a field names": {
			Link{Fixed: "cloud", Namespace: "spec.issuerRef.name", Types: []Type{"Secret"}},
			[]Reference{{Type: "Secret", Namespace: "letsencrypt", Name: "cloud"}},
		},
		"a fixed namespace": {Link{Naming: Naming{Name: "spec.issuerRef.name"}, Types: []Type{"Secret"}, Namespace: "kube-system"}, []Reference{{NamedBy: "spec.issuerRef.name", Type: "Secret", Namespace: "kube-system", Name: "letsencrypt"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.link.References(challenge())); diff != "" {
				t.Errorf("references (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNeedApplies(t *testing.T) {
	for name, test := range map[string]struct {
		unless []FieldValue
		want   bool
	}{
		"always":                              {nil, true},
		"not with the value it does without":  {[]FieldValue{{Field: "spec.issuerRef.kind", Value: "ClusterIssuer"}}, false},
		"with another value":                  {[]FieldValue{{Field: "spec.issuerRef.kind", Value: "Issuer"}}, true},
		"not with one of several such values": {[]FieldValue{{Label: "owner"}, {Label: "shard"}}, false},
	} {
		if got := (Need{Unless: test.unless}).Applies(challenge()); got != test.want {
			t.Errorf("%s: it applies: %t", name, got)
		}
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
		{Field: "spec.issuerRef"}:                          true,
		{Field: "spec.issuerRef", Unset: true}:             false,
		{Field: "spec.secrets", Unset: true}:               false,
		{Field: "spec.nobody", Unset: true}:                true,
		{Field: "spec.empty", Unset: true}:                 true,
		{Field: "spec.parents[].namespace", Value: "edge"}: true,
		{Field: "spec.parents[].name", Value: "back"}:      true,
		{Field: "spec.parents[].name", Value: "side"}:      false,
		{Field: "spec.nobody[].name"}:                      false,
		{Field: "spec.nobody[].name", Unset: true}:         true,
		{Label: "shard", Value: "a", Unset: true}:          false,
		{Condition: "Ready"}:                               true,
		{Condition: "Ready", Value: "False"}:               false,
		{Condition: "Paused", Value: "False"}:              true,
		{Condition: "Finished"}:                            false,
		{Condition: "Finished", Unset: true}:               true,
	} {
		if got := value.Matches(challenge()); got != want {
			t.Errorf("%s = %q: %t, want %t", value, value.Value, got, want)
		}
	}
}

func TestConfirmationIsMissing(t *testing.T) {
	paused := []FieldValue{{Annotation: "example.com/paused", Value: "true"}}
	for name, test := range map[string]struct {
		confirmation Confirmation
		want         bool
	}{
		"a value that is not set":            {Confirmation{FieldValue: FieldValue{Annotation: "example.com/approved"}}, true},
		"a value that is set":                {Confirmation{FieldValue: FieldValue{Label: "shard"}}, false},
		"another value is set":               {Confirmation{FieldValue: FieldValue{Label: "shard", Value: "b"}}, true},
		"it asks, and no value is set":       {Confirmation{FieldValue: FieldValue{Annotation: "example.com/approved"}, When: paused}, true},
		"it asks, and the value is set":      {Confirmation{FieldValue: FieldValue{Label: "shard"}, When: paused}, false},
		"it does not ask":                    {Confirmation{FieldValue: FieldValue{Annotation: "example.com/approved"}, When: []FieldValue{{Label: "shard", Value: "b"}}}, false},
		"it asks for as long as this holds":  {Confirmation{When: paused}, true},
		"one of two that ask does not hold":  {Confirmation{When: append(paused, FieldValue{Label: "shard", Value: "b"})}, false},
		"one entry of a list asks":           {Confirmation{When: []FieldValue{{Field: "spec.parents[].namespace", Value: "edge"}}}, true},
		"no entry of a list asks":            {Confirmation{When: []FieldValue{{Field: "spec.parents[].namespace", Value: "cellar"}}}, false},
		"a list that the object has not got": {Confirmation{When: []FieldValue{{Field: "status.resources[].protected", Value: "true"}}}, false},
	} {
		if got := test.confirmation.IsMissing(challenge()); got != test.want {
			t.Errorf("%s: it is missing: %t", name, got)
		}
	}
}

func TestUsageNamesTheObject(t *testing.T) {
	routes := Usage{Type: "HTTPRoute.example.com", Naming: Naming{Name: "spec.parents[].name"}, Namespace: "spec.parents[].namespace"}
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
		"of another kind":                      {Usage{Naming: Naming{Name: "spec.issuerRef.name"}, Kind: "spec.issuerRef.kind"}, "Issuer", "", "letsencrypt", false},
		"of the kind that it names":            {Usage{Naming: Naming{Name: "spec.issuerRef.name"}, Kind: "spec.issuerRef.kind"}, "ClusterIssuer", "", "letsencrypt", true},
		"by default, as it names none":         {Usage{Naming: Naming{Name: "spec.project", Default: "default"}}, "Project", "", "default", true},
		"not by default, as it names another":  {Usage{Naming: Naming{Name: "spec.issuerRef.name", Default: "default"}}, "Project", "", "default", false},
		"by a label":                           {Usage{Naming: Naming{Label: "shard", Prefix: "shard-"}}, "Shard", "shop", "shard-a", true},
		"all of its namespace":                 {Usage{All: true}, "Shop", "shop", "front", true},
		"all, but of another namespace":        {Usage{All: true}, "Shop", "edge", "front", false},
		"all of the cluster":                   {Usage{All: true}, "Shop", "", "front", true},
		"all but those that are excused":       {Usage{All: true, Unless: []FieldValue{{Label: "shard"}}}, "Shop", "shop", "front", false},
		"but not with a value that excuses it": {Usage{Naming: Naming{Name: "spec.issuerRef.name"}, Unless: []FieldValue{{Label: "shard", Value: "a"}}}, "ClusterIssuer", "", "letsencrypt", false},
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
		"  needs: [{name: spec.ref.name, types: [Secret]}]\n":                                                            "purpose is missing",
		"  needs: [{name: 'spec ref', types: [Secret], purpose: x}]\n":                                                   `"spec ref" is not the path of a field`,
		"  needs: [{name: spec.ref.name, types: [Issuer.a.io, Secret], purpose: x}]\n":                                   "or several with kind",
		"  needs: [{name: spec.a, label: b, types: [Secret], purpose: x}]\n":                                             "name one of name, label and annotation",
		"  needs: [{fixed: a, suffix: b, types: [Secret], purpose: x}]\n":                                                "fixed stands for the whole name",
		"  needs: [{suffix: b, types: [Secret], purpose: x}]\n":                                                          "name one of name, label and annotation",
		"  usedBy: [{type: Pod, all: true, name: spec.a}]\n":                                                             "all counts every object of the type",
		"  usedBy: [{type: Pod}]\n":                                                                                      "name one of name, label and annotation",
		"  needs: [{name: spec.a, of: [{label: b}], types: [Secret], purpose: x}]\n":                                     "needs: spec.a: of: label b: types names one type",
		"  needs: [{name: spec.a, of: [{label: b, types: [Secret]}], types: [Secret], purpose: x}]\n":                    "a Secret is never read",
		"  needs: [{names: spec.ref.name}]\n":                                                                            `unknown field "names"`,
		"  usedBy: [{type: pods, name: spec.x}]\n":                                                                       `type "pods" must start with the kind`,
		"  needs: [{name: spec.ref.name, group: spec.ref.group, types: ['*.a.io'], purpose: x}]\n":                       "with kind",
		"  usedBy: [{type: \"*.example.com\", name: spec.x}]\n":                                                          "names more than one type",
		"  usedBy: [{type: Pod, name: spec.a, release: {action: fix, description: x}}]\n":                                "usedBy: release: action",
		"  usedBy: [{type: Pod, name: spec.a, unless: [{condition: Ready, label: a}]}]\n":                                "usedBy: unless: name one of field",
		"  paused: [{annotation: a, field: spec.b, resume: {action: change, description: x}}]\n":                         "name one of field, annotation, label and condition",
		"  paused: [{annotation: a, resume: {action: fix, description: x}}]\n":                                           `action "fix" of a step is none of`,
		"  confirmation: [{confirm: {action: change, description: x}}]\n":                                                "name the value that confirms, or in when",
		"  confirmation: [{annotation: a, field: b, confirm: {action: change}}]\n":                                       "confirmation: name one of field, annotation, label and condition",
		"  confirmation: [{when: [{field: 'a b'}], confirm: {action: change}}]\n":                                        `confirmation: when: "a b" is not the path`,
		"  confirmation: [{annotation: a}]\n":                                                                            "confirmation: confirm: description of a step is missing",
		"  enabledBy: [{flag: --a, gate: B}]\n":                                                                          "enabledBy: name one of flag, gate and env",
		"  enabledBy: [{flag: a}]\n":                                                                                     `enabledBy: flag "a" does not begin with two dashes`,
		"  enabledBy: [{gate: A=true}]\n":                                                                                `enabledBy: "A=true" is a name with a value`,
		"  enabledBy: [{env: A, default: \"off\"}]\n":                                                                    `enabledBy: default "off" is none of enabled and disabled`,
		"  enabledBy: [{env: A, value: x}]\n":                                                                            `unknown field "value"`,
		"  confirmation: [{annotations: a}]\n":                                                                           `unknown field "annotations"`,
		"  obsolete: {text: x}\n":                                                                                        "obsolete: since is missing",
		"  obsolete: {since: v2, text: x, by: y}\n":                                                                      `unknown field "by"`,
		"  obsolete: {since: v2}\n":                                                                                      "obsolete: text is missing",
		"  paused: [{field: spec.paused, of: [{types: [farms], label: a}], resume: {action: change, description: x}}]\n": `paused: of: label a: type "farms" must start with the kind`,
		"  class: [{field: spec.className, type: C.example.com, controller: spec.c}]\n":                                  "controller and controllers go together",
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
