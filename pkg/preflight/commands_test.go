package preflight_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Many objects of a namespace that is deleted as a whole are named by their type, others by name.
func TestCommands(t *testing.T) {
	var content []stuck.Object
	for i := range stuck.MaxUngrouped + 1 {
		content = append(content, object(widgets, "shop", fmt.Sprint("w", i), "example.com/hold"))
	}
	content = append(content, object(services, "shop", "web", "example.com/hold"))
	shop := object(namespaces, "", "shop")
	stages := preflight.Order(preflight.Deletion{Selected: []stuck.Object{shop, object(deployment, "tools", "a b")}, Content: content})
	var got []string
	for _, s := range stages {
		got = append(got, s.Commands([]stuck.Object{shop})...)
	}
	want := []string{
		"kubectl delete widgets.example.com --all -n shop --wait=false", "kubectl finalizers wait widgets.example.com -n shop",
		"kubectl delete service/web -n shop --wait=false", "kubectl finalizers wait service/web -n shop",
		"kubectl delete 'deployment/a b' -n tools",
		"kubectl delete namespace/shop --wait=false", "kubectl finalizers wait namespace/shop",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the commands are\n%q, want\n%q", got, want)
	}
}
