package diagnose_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	secretType = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	routeType  = stuck.Type{Group: "example.com", Version: "v1", Resource: "routes", Kind: "Route", Namespaced: true}
	issuerType = stuck.Type{Group: "cert-manager.io", Version: "v1", Resource: "clusterissuers", Kind: "ClusterIssuer"}
)

func TestSpecReferences(t *testing.T) {
	object := func(name string) map[string]any { return map[string]any{"name": name} }
	for name, test := range map[string]struct {
		spec map[string]any
		want []string
	}{
		"a Secret by its key":           {map[string]any{"provider": map[string]any{"apiTokenSecretRef": object("token")}}, []string{"spec.provider.apiTokenSecretRef secret/token"}},
		"a key of a Secret":             {map[string]any{"secretKeyRef": object("token")}, []string{"spec.secretKeyRef secret/token"}},
		"a type of the object's group":  {map[string]any{"routeRef": object("home")}, []string{"spec.routeRef route.example.com/home"}},
		"a list":                        {map[string]any{"routeRefs": []any{object("a"), object("b"), object("a")}}, []string{"spec.routeRefs[] route.example.com/a", "spec.routeRefs[] route.example.com/b"}},
		"a kind and a group":            {map[string]any{"issuerReference": map[string]any{"name": "ca", "kind": "ClusterIssuer", "group": "cert-manager.io"}}, []string{"spec.issuerReference clusterissuer.cert-manager.io/ca"}},
		"a kind and an API version":     {map[string]any{"issuerRef": map[string]any{"name": "ca", "kind": "ClusterIssuer", "apiVersion": "cert-manager.io/v1"}}, []string{"spec.issuerRef clusterissuer.cert-manager.io/ca"}},
		"a kind that is served nowhere": {map[string]any{"planRef": object("gold")}, nil},
		"a kind of another group":       {map[string]any{"issuerRef": map[string]any{"name": "ca", "kind": "ClusterIssuer"}}, nil},
		"what need not exist":           {map[string]any{"secretRef": map[string]any{"name": "token", "optional": true}}, nil},
		"what pods read":                {map[string]any{"podTemplate": map[string]any{"secretRef": object("token")}}, nil},
		"no name":                       {map[string]any{"secretRef": map[string]any{"key": "token"}, "other": "x"}, nil},
		"a name that is none":           {map[string]any{"secretRef": object("../x")}, nil},
	} {
		view := cluster.NewView(t.Context(), (&recording.Recording{}).Source(nil), []stuck.Type{widget, secretType, routeType, issuerType}, nil)
		var got []string
		for _, ref := range kit.SpecReferences(view, front.Object, map[string]any{"spec": test.spec}) {
			got = append(got, ref.Field+" "+ref.Target.Ref())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// namesBySpec has one Widget, whose spec names many objects, and answers for each of these the same.
type namesBySpec struct {
	*recording.Source
	refs   map[string]any
	answer func(name string) error
	asked  int
}

func (s *namesBySpec) Get(context.Context, stuck.Type, string, string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": s.refs}}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	object.SetUID("w1")
	return object, nil
}

func (s *namesBySpec) Metadata(_ context.Context, _ stuck.Type, _, name string) (*metav1.PartialObjectMetadata, error) {
	s.asked++
	return nil, s.answer(name)
}

func TestWhatASpecNamesIsLookedUpInBounds(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	absent := func(name string) error { return apierrors.NewNotFound(secrets, name) }
	forbidden := func(name string) error { return apierrors.NewForbidden(secrets, name, nil) }
	for name, test := range map[string]struct {
		refs, ready, asked, found int
		answer                    func(string) error
	}{
		"it does not exist":             {refs: 1, ready: 1, asked: 1, found: 1, answer: absent},
		"whether it exists is not told": {refs: 1, ready: 1, asked: 1, found: 0, answer: forbidden},
		"no controller runs":            {refs: 1, ready: 0, asked: 0, found: 0, answer: absent},
		"it names a thousand":           {refs: 1000, ready: 1, asked: kit.MaxSpecReferences, found: kit.MaxSpecReferences, answer: absent},
	} {
		source := &namesBySpec{Source: (&recording.Recording{}).Source(nil), refs: map[string]any{}, answer: test.answer}
		for i := range test.refs {
			source.refs[fmt.Sprintf("part%d", i)] = map[string]any{"secretRef": map[string]any{"name": fmt.Sprintf("s%d", i)}}
		}
		view := cluster.NewView(t.Context(), source, []stuck.Type{widget, secretType}, nil)
		deployment := cluster.Workload{Type: cluster.DeploymentType, Namespace: "widgets", Name: "operator", Ready: test.ready, Desired: test.ready}
		found := cause.ReferenceMissing.ByController(view, controller.Controller{
			Object: front.Object, Finalizer: front.Finalizer, Complete: true, Candidates: []controller.Candidate{{Workload: deployment}},
		})
		for _, f := range found {
			if f.Certainty != stuck.Likely {
				t.Errorf("%s: it is %s", name, f.Certainty)
			}
		}
		if source.asked != test.asked || len(found) != test.found {
			t.Errorf("%s: %d requests, found %v", name, source.asked, found)
		}
	}
}
