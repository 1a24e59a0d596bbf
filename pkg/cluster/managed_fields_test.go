package cluster

import (
	"encoding/json"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func entry(fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: "operator", FieldsV1: metav1.NewFieldsV1(fields)}
}

func TestManagedFinalizers(t *testing.T) {
	tests := map[string]struct {
		fields string
		want   []string
	}{
		"a set of them": {
			fields: `{"f:metadata":{"f:finalizers":{".":{},"v:\"example.com/a\"":{},"v:\"example.com/b\"":{}}}}`,
			want:   []string{"example.com/a", "example.com/b"},
		},
		"one with a quote in its name": {fields: `{"f:metadata":{"f:finalizers":{"v:\"a\\\"b\"":{}}}}`, want: []string{`a"b`}},
		"none":                         {fields: `{"f:metadata":{"f:labels":{}}}`},
		"not an object":                {fields: `[]`},
		"not JSON":                     {fields: `{`},
		"nothing":                      {fields: ``},
		"finalizers that are no set":   {fields: `{"f:metadata":{"f:finalizers":[]}}`},
		"keys of another form":         {fields: `{"f:metadata":{"f:finalizers":{"":{},"v:":{},"v:7":{},"k:{}":{},"v:null":{}}}}`, want: []string{""}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := parseFieldsV1(entry(test.fields)).finalizers()
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("finalizers %q, not %q", got, test.want)
			}
		})
	}
	if got := parseFieldsV1(metav1.ManagedFieldsEntry{}).finalizers(); got != nil {
		t.Errorf("an entry without fields has finalizers %q", got)
	}
}

func FuzzManagedFinalizers(f *testing.F) {
	f.Add(`{"f:metadata":{"f:finalizers":{"v:\"example.com/a\"":{}}}}`, "example.com/a")
	f.Add(`{`, "\x00\"\\")
	f.Add(`null`, "\u202e")
	f.Fuzz(func(t *testing.T, fields, name string) {
		// Whatever stands there, it is read without harm.
		parseFieldsV1(entry(fields)).finalizers()

		// A name that stands there as the API server writes it is found.
		value, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		set, err := json.Marshal(map[string]any{"f:metadata": map[string]any{"f:finalizers": map[string]any{"v:" + string(value): map[string]any{}}}})
		if err != nil {
			t.Fatal(err)
		}
		var want string
		if err := json.Unmarshal(value, &want); err != nil {
			t.Fatal(err)
		}
		if got := parseFieldsV1(entry(string(set))).finalizers(); !slices.Equal(got, []string{want}) {
			t.Errorf("%s holds %q, not %q", set, got, want)
		}
	})
}
