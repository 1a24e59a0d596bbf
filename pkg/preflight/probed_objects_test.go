package preflight

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Of too many objects one of each type is tried. What goes with its CustomResourceDefinition is not.
func TestProbedObjects(t *testing.T) {
	configMaps := stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}
	widgets := stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	definitions := stuck.Type{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Kind: "CustomResourceDefinition"}
	object := func(of stuck.Type, namespace, name string) stuck.Object {
		return stuck.Object{Type: of, Namespace: namespace, Name: name, UID: types.UID(of.Resource + namespace + name)}
	}
	var selected []stuck.Object
	for i := range maxDeleteProbes {
		selected = append(selected, object(configMaps, "shop", fmt.Sprint("c", i)))
	}
	d := newDeleted(append(selected, object(definitions, "", "widgets.example.com")))
	d.add(object(configMaps, "books", "c"))
	d.add(object(widgets, "books", "w"))
	tried, left := probedObjects(d)
	if len(tried) != maxDeleteProbes || len(left) != 2 || tried[0].Namespace != "shop" || tried[1].Name != "widgets.example.com" || tried[2].Namespace != "books" {
		t.Errorf("%d are tried, and these are left: %v", len(tried), left)
	}
}
