package preflight_test

import (
	"fmt"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	widgets    = stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}
	gadgets    = stuck.Type{Group: "example.com", Version: "v1", Resource: "gadgets", Kind: "Gadget", Namespaced: true}
	namespaces = stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}
	services   = stuck.Type{Version: "v1", Resource: "services", Kind: "Service", Namespaced: true}
	claims     = stuck.Type{Version: "v1", Resource: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true}
	deployment = stuck.Type{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}
	roles      = stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Kind: "ClusterRole"}
	webhooks   = stuck.Type{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations", Kind: "ValidatingWebhookConfiguration"}
	crds       = stuck.Type{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Kind: "CustomResourceDefinition"}
)

func object(t stuck.Type, namespace, name string, finalizers ...string) stuck.Object {
	return stuck.Object{Type: t, Namespace: namespace, Name: name, UID: types.UID(t.Resource + namespace + name), Finalizers: finalizers}
}

func ownedBy(o, owner stuck.Object) stuck.Object {
	o.Owners = []stuck.OwnerReference{{Kind: owner.Type.Kind, Name: owner.Name, UID: owner.UID, Controller: true}}
	return o
}

// What a controller finishes comes before the controller, and a definition after its objects.
func TestOrder(t *testing.T) {
	parent := object(widgets, "shop", "parent")
	stages := preflight.Order(preflight.Deletion{
		Selected: []stuck.Object{
			object(crds, "", "widgets.example.com", "customresourcecleanup.apiextensions.k8s.io"), object(roles, "", "operator"),
			object(namespaces, "", "operator"), object(namespaces, "", "shop"), object(webhooks, "", "check"),
			object(deployment, "tools", "runner"), object(claims, "tools", "cache", "kubernetes.io/pvc-protection"),
			object(widgets, "tools", "w2"),
		},
		Content: []stuck.Object{
			object(widgets, "shop", "w1", "example.com/hold"), parent, ownedBy(object(widgets, "shop", "child", "finalizer.example.com"), parent),
			object(services, "shop", "web", "service.kubernetes.io/load-balancer-cleanup"), object(services, "shop", "foreground", "foregroundDeletion"),
			object(claims, "shop", "data", "kubernetes.io/pvc-protection"),
		},
		ControllerNamespaces: []string{"operator"},
	})
	var got []string
	for _, s := range stages {
		got = append(got, fmt.Sprint(s.Name, names(s.Delete)))
	}
	want := []string{
		"CustomResources[web parent w1 w2]", "WebhooksAndAPIServices[check]", "Workloads[runner]", "NamespacedObjects[cache]",
		"Namespaces[shop]", "NamespacesOfControllers[operator]", "ClusterObjects[operator]", "CustomResourceDefinitions[widgets.example.com]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the stages are\n%q, want\n%q", got, want)
	}
	if waits := names(stages[0].WaitFor); !slices.Equal(waits, []string{"web", "child", "parent", "w1", "w2"}) {
		t.Errorf("the first stage waits for %q", waits)
	}
}

// Objects whose own deletion is rejected are deleted with their definition, while their controllers run.
func TestOrderOfInseparableObjects(t *testing.T) {
	definition := object(crds, "", "widgets.example.com", "customresourcecleanup.apiextensions.k8s.io")
	parent := object(widgets, "shop", "parent", "example.com/hold")
	stages := preflight.Order(preflight.Deletion{
		Selected: []stuck.Object{definition, object(deployment, "tools", "runner")},
		Content: []stuck.Object{
			parent, ownedBy(object(widgets, "shop", "child", "example.com/hold"), parent), object(gadgets, "shop", "separate", "example.com/hold"),
			ownedBy(object(gadgets, "shop", "dependent", "example.com/hold"), parent),
		},
		Inseparable: map[string]bool{"widgets.example.com": true},
	})
	var got []string
	for _, s := range stages {
		got = append(got, fmt.Sprint(s.Name, names(s.Delete)))
	}
	if want := []string{"CustomResources[widgets.example.com separate]", "Workloads[runner]"}; !slices.Equal(got, want) {
		t.Errorf("the stages are\n%q, want\n%q", got, want)
	}
	want := []string{
		"kubectl delete customresourcedefinition/widgets.example.com --wait=false", "kubectl finalizers wait customresourcedefinition/widgets.example.com",
		"kubectl delete gadget.example.com/separate -n shop --wait=false",
		"kubectl finalizers wait gadget.example.com/dependent gadget.example.com/separate widget.example.com/child widget.example.com/parent -n shop",
	}
	if got := stages[0].Commands(nil); !slices.Equal(got, want) {
		t.Errorf("the commands are\n%q, want\n%q", got, want)
	}
}

// Objects that own each other are each in one stage all the same.
func TestOrderOfCycle(t *testing.T) {
	a, b := object(widgets, "shop", "a", "example.com/hold"), object(widgets, "shop", "b", "example.com/hold")
	a, b = ownedBy(a, b), ownedBy(b, a)
	stages := preflight.Order(preflight.Deletion{Content: []stuck.Object{a, b}})
	if len(stages) != 1 || len(stages[0].Delete) == 0 || len(stages[0].WaitFor) != 2 {
		t.Errorf("the stages are %v", stages)
	}
}

func names(objects []stuck.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.Name)
	}
	return out
}
