package e2e

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	library "github.com/kubectl-finalizers/kubectl-finalizers/pkg/finalizers"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// A program that uses the library learns of the same objects as a user of the plugin.
func TestLibrarySaysWhatThePluginSays(t *testing.T) {
	p := sharedPlane(t)
	runSetup(t, p, `
		kubectl create namespace library
		kubectl create configmap -n library kept
		kubectl patch configmap -n library kept --type=merge -p '{"metadata":{"finalizers":["library.example.com/keep"]}}'
		kubectl delete configmap -n library kept --wait=false`)
	defer runSetup(t, p, `
		kubectl patch configmap -n library kept --type=merge -p '{"metadata":{"finalizers":null}}'
		kubectl delete namespace library --wait=false`)
	config, err := p.Config(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	list, err := library.List(t.Context(), config, library.ListOptions{Namespace: "library"})
	if err != nil {
		t.Fatal(err)
	}
	printed := readDocument[library.StuckList](t, p, plane.Admin, "list", "-n", "library")
	if len(list.Items) != 1 || len(printed.Items) != 1 || list.Items[0].Metadata.UID != printed.Items[0].Metadata.UID {
		t.Errorf("the library lists %+v, and the plugin %+v", list.Items, printed.Items)
	}
	explanation, err := library.Explain(t.Context(), config, schema.GroupKind{Kind: "ConfigMap"}, types.NamespacedName{Namespace: "library", Name: "kept"})
	if err != nil {
		t.Fatal(err)
	}
	explained := readDocument[library.Explanation](t, p, plane.Admin, "explain", "configmap/kept", "-n", "library")
	if explanation.Target.Metadata.UID != explained.Target.Metadata.UID || explanation.Target.Diagnosis.Verdict == "" {
		t.Errorf("the library explains %+v, and the plugin %+v", explanation.Target, explained.Target)
	}
}
