package cluster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	namesWidgets = `{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[{"name":"widgets","kind":"Widget","namespaced":true,"verbs":["list"]}]}`
	namesGadgets = `{"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[{"name":"gadgets","kind":"Gadget","namespaced":true,"verbs":["list"]}]}`
)

// A type whose list is answered with 404 or 405 holds nothing only if discovery
// names it no more. A gateway that answers so does not empty a cluster.
func TestTypesThatAreNotFoundAreLookedUpAgain(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"404":            fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound),
		"405":            fakeapi.RespondStatus(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed),
		"404 as a text":  http.NotFound,
		"404 in HTML":    respondCode(http.StatusNotFound, "<html>no such page</html>"),
		"405 of a proxy": respondCode(http.StatusMethodNotAllowed, "method not allowed"),
	}
	tests := map[string]struct {
		of        stuck.Type
		discovery http.HandlerFunc
		gap       string
	}{
		"it was deleted":                       {of: fakeapi.Widget, discovery: fakeapi.Respond(namesGadgets)},
		"its group version was deleted":        {of: fakeapi.Widget, discovery: http.NotFound},
		"discovery names it":                   {of: fakeapi.Widget, discovery: fakeapi.Respond(namesWidgets), gap: ", but discovery names it"},
		"discovery fails":                      {of: fakeapi.Widget, discovery: fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden), gap: ", and its discovery failed: forbidden"},
		"discovery is a web page":              {of: fakeapi.Widget, discovery: fakeapi.Respond("<html>log in</html>"), gap: ", and its discovery failed: reading the discovery document"},
		"discovery is of another kind":         {of: fakeapi.Widget, discovery: fakeapi.Respond("{}"), gap: ", and its discovery failed: reading the discovery document"},
		"it is of the core group":              {of: fakeapi.Pod, discovery: http.NotFound, gap: " "},
		"it is stale, so its server is absent": {of: staleWidget(), discovery: http.NotFound, gap: " "},
	}
	for name, test := range tests {
		for answer, list := range answers {
			t.Run(name+" "+answer, func(t *testing.T) {
				t.Parallel()
				fake := fakeapi.Start(t, fakeapi.Responses{
					"/apis/example.com/v1": test.discovery, "/api/v1": test.discovery,
					"/apis/example.com/v1/widgets": list, "/api/v1/pods": list,
				})
				survey, err := cluster.SurveyRequest{Types: []stuck.Type{test.of}, Keep: fakeapi.Deleted}.Run(t.Context(), fake.Server)
				if err != nil {
					t.Fatal(err)
				}
				if test.gap == "" {
					if len(survey.Gaps) > 0 || len(survey.Unserved) != 1 || survey.Read != 0 {
						t.Errorf("%d types read, unserved are %v, and the gaps %v", survey.Read, survey.Unserved, survey.Gaps)
					}
					return
				}
				if len(survey.Gaps) != 1 || !strings.Contains(survey.Gaps[0].Error, test.gap) || len(survey.Failed) != 1 || survey.Read != 0 {
					t.Errorf("%d types read, and the gaps are %v", survey.Read, survey.Gaps)
				}
			})
		}
	}
}

func staleWidget() stuck.Type {
	stale := fakeapi.Widget
	stale.Stale = true
	return stale
}

// What the namespace controller still counts is there, whatever answers the lists.
func TestNamespaceConditionContradictsATypeThatIsNotFound(t *testing.T) {
	for name, test := range map[string]struct {
		message string
		want    []stuck.Gap
	}{
		"of the type": {
			message: "Some resources are remaining: widgets.example.com has 2 resource instances",
			want:    []stuck.Gap{{Source: "widgets.example.com -n shop", Error: "not found, but condition NamespaceContentRemaining of the namespace counts 2"}},
		},
		"of another": {message: "Some resources are remaining: gadgets.example.com has 2 resource instances"},
	} {
		t.Run(name, func(t *testing.T) {
			ns := corev1.Namespace{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "shop"},
				Status: corev1.NamespaceStatus{Conditions: []corev1.NamespaceCondition{
					{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: test.message},
				}},
			}
			view := fakeapi.Start(t, fakeapi.Responses{
				"/apis/example.com/v1/namespaces/shop/widgets": http.NotFound, "/apis/example.com/v1": http.NotFound,
				"/api/v1/namespaces/shop": fakeapi.RespondJSON(ns),
			}).View(t, nil, fakeapi.Widget)
			if content := view.NamespaceContent("shop"); content.Complete != (test.want == nil) {
				t.Errorf("the content is complete: %t", content.Complete)
			}
			if diff := cmp.Diff(test.want, view.Gaps()); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
		})
	}
}

// What a survey keeps is bounded, and what it did not keep is said.
func TestSurveyKeepsSoManyObjectsAndNoMore(t *testing.T) {
	pages := 0
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
			pages++
			fakeapi.RespondJSON(fakeapi.ListOf(strings.Repeat("x", pages), fakeapi.Object("shop", strings.Repeat("a", pages))))(w, r)
		},
	})
	survey, err := cluster.SurveyRequest{Types: []stuck.Type{fakeapi.Pod}, Keep: fakeapi.Deleted, MaxObjects: 3}.Run(t.Context(), fake.Server)
	if diff := cmp.Diff([]string{"a", "aa", "aaa"}, fakeapi.Names(survey.Objects)); err != nil || diff != "" {
		t.Errorf("%v, objects (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]stuck.Gap{{Source: "pods", Type: fakeapi.Pod.GVR().GroupResource(), Error: "more than 3 objects are to be kept: not all of them were read"}}, survey.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}
