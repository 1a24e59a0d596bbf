package cluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The API server applies JSON patches with the same module.
func TestRemoveFinalizersPatch(t *testing.T) {
	few := []string{"example.com/a", "example.com/b", "example.com/c"}
	var many []string
	for i := range MaxPatchOperations {
		many = append(many, fmt.Sprintf("example.com/finalizer-%d", i))
	}
	for name, test := range map[string]struct{ all, removed, want []string }{
		"one of some":  {all: few, removed: few[1:2], want: []string{"example.com/a", "example.com/c"}},
		"all of some":  {all: few, removed: few},
		"one of many":  {all: many, removed: many[1:2], want: slices.Delete(slices.Clone(many), 1, 2)},
		"some of many": {all: many, removed: many[1:], want: many[:1]},
		"all of many":  {all: many, removed: many},
		"just as many as the API server accepts one by one": {all: many[:MaxPatchOperations/2-1], removed: many},
		"one more than that": {all: many[:MaxPatchOperations/2], removed: many},
	} {
		t.Run(name, func(t *testing.T) {
			o := stuck.Object{UID: "1", Finalizers: test.all}
			patch := RemoveFinalizersPatch(o, test.removed)
			if len(patch)+1 > MaxPatchOperations { // a removal also tests the resourceVersion
				t.Errorf("%d operations", len(patch))
			}
			got, err := apply(t, patch, "1", test.all)
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("%d finalizers are left, error %v", len(got), err)
			}
			changed := slices.Clone(test.all)
			changed[1] = "example.com/another"
			for what, fails := range map[string]func() ([]string, error){
				"another uid":       func() ([]string, error) { return apply(t, patch, "2", test.all) },
				"another finalizer": func() ([]string, error) { return apply(t, patch, "1", changed) },
				"none":              func() ([]string, error) { return apply(t, patch, "1", nil) },
			} {
				if _, err := fails(); err == nil {
					t.Errorf("it is applied to an object with %s", what)
				}
			}
		})
	}
}

func apply(t *testing.T, patch []PatchOperation, uid string, finalizers []string) ([]string, error) {
	t.Helper()
	type metadata struct {
		UID        string   `json:"uid"`
		Finalizers []string `json:"finalizers,omitempty"`
	}
	text, err := json.Marshal(patch)
	if err != nil {
		t.Fatal(err)
	}
	object, err := json.Marshal(map[string]any{"metadata": metadata{uid, finalizers}})
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	if object, err = decoded.Apply(object); err != nil {
		return nil, err
	}
	var out struct {
		Metadata metadata `json:"metadata"`
	}
	err = json.Unmarshal(object, &out)
	return out.Metadata.Finalizers, err
}
