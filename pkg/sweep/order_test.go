package sweep

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func object(t stuck.Type, namespace, name string, finalizers ...string) stuck.Object {
	return stuck.Object{Type: t, Namespace: namespace, Name: name, UID: types.UID(t.Resource + namespace + name), Finalizers: finalizers}
}

func refs(objects []stuck.Object) (out []string) {
	for _, o := range objects {
		out = append(out, o.RefInNamespace())
	}
	return out
}

// What holds one namespace holds no other.
func TestOrder(t *testing.T) {
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	widgets := stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", SingularName: "widget", Kind: "Widget", Namespaced: true}
	a, b := object(namespaces, "", "a"), object(namespaces, "", "b")
	widget := object(widgets, "b", "w", "example.com/hold")
	order := NewOrder([]stuck.Object{a, b}, []stuck.Object{widget}, nil)
	if got, want := refs(order.Ready()), []string{"widget.example.com/w -n b", "namespace/a"}; !slices.Equal(got, want) {
		t.Errorf("at first: %q, not %q", got, want)
	}
	order.Gone(a)
	if got := refs(order.Ready()); len(got) > 0 {
		t.Errorf("while the widget exists: %q", got)
	}
	waiting := order.Waiting()
	if len(waiting) != 1 || waiting[0].Object.Name != "b" || waiting[0].WaitsFor.Name != "w" {
		t.Errorf("waiting: %v", waiting)
	}
	if got, want := refs(order.Pending()), []string{"widget.example.com/w -n b"}; !slices.Equal(got, want) {
		t.Errorf("pending: %q, not %q", got, want)
	}
	order.Gone(widget)
	if got := refs(order.Pending()); len(got) > 0 {
		t.Errorf("it waits for what nobody has deleted: %q", got)
	}
	if got, want := refs(order.Ready()), []string{"namespace/b"}; !slices.Equal(got, want) {
		t.Errorf("then: %q, not %q", got, want)
	}
}

// A namespace with the controller of an object of another one is deleted after the object.
func TestControllersAreDeletedAfterTheirObjects(t *testing.T) {
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	widgets := stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", SingularName: "widget", Kind: "Widget", Namespaced: true}
	operators, other, shop := object(namespaces, "", "operators"), object(namespaces, "", "other"), object(namespaces, "", "shop")
	widget := object(widgets, "shop", "w", "example.com/hold")
	order := NewOrder([]stuck.Object{operators, other, shop}, []stuck.Object{widget}, map[stuck.ObjectKey][]string{widget.Key(): {"operators"}})
	if got, want := refs(order.Ready()), []string{"widget.example.com/w -n shop", "namespace/other"}; !slices.Equal(got, want) {
		t.Errorf("at first: %q, not %q", got, want)
	}
	order.Gone(widget)
	if got, want := refs(order.Ready()), []string{"namespace/operators", "namespace/shop"}; !slices.Equal(got, want) {
		t.Errorf("then: %q, not %q", got, want)
	}
}
