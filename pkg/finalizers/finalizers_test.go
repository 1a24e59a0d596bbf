package finalizers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/finalizers"
)

// What could not be listed says so: an empty list would look like a cluster in which nothing is stuck.
func TestListSaysWhatItCouldNotRead(t *testing.T) {
	notFound := fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)
	for name, test := range map[string]struct {
		change  func(fakeapi.Responses)
		options finalizers.ListOptions
		says    string
		gap     bool // that pods could not be listed
	}{
		"all is read": {change: func(fakeapi.Responses) {}},
		"no namespace": {
			change: func(r fakeapi.Responses) {
				r["/api/v1/namespaces/other"] = notFound
				r["/api/v1/namespaces/other/pods"], r["/api/v1/namespaces/other/persistentvolumeclaims"] = fakeapi.RespondList(), fakeapi.RespondList()
			},
			options: finalizers.ListOptions{Namespace: "other"},
			says:    `listing what is stuck: namespace "other" does not exist`,
		},
		"one type is forbidden": {
			change: func(r fakeapi.Responses) { delete(r, "/api/v1/pods") },
			gap:    true,
		},
		"all types are forbidden": {
			change: func(r fakeapi.Responses) {
				for path := range r {
					if strings.HasPrefix(path, "/api/v1") {
						delete(r, path)
					}
				}
			},
			says: "listing what is stuck: no type can be listed; ",
		},
		"no API server": {change: func(r fakeapi.Responses) { delete(r, "/api") }, says: "reading the types of the cluster: "},
	} {
		t.Run(name, func(t *testing.T) {
			config, stop := newCluster(test.change)
			defer stop()
			list, err := finalizers.List(t.Context(), config, test.options)
			if test.says != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.says) {
					t.Errorf("the error is %v, not %q", err, test.says)
				}
				return
			}
			if err != nil || len(list.Items) != 1 {
				t.Fatalf("the error is %v, and the list is %+v", err, list)
			}
			isListOfPods := func(g finalizers.Gap) bool { return g.Source == "pods" && g.Reason == "Forbidden" }
			if got := slices.ContainsFunc(list.Gaps, isListOfPods); got != test.gap {
				t.Errorf("the gaps are %v", list.Gaps)
			}
		})
	}
}

func TestExplainSaysWhatItCouldNotRead(t *testing.T) {
	notFound := func(r fakeapi.Responses) {
		r["/api/v1/namespaces/shop/persistentvolumeclaims/data"] = fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)
	}
	stale := func(r fakeapi.Responses) {
		r["/apis"] = fakeapi.Respond(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[
			{"metadata":{"name":"example.com"},"versions":[{"version":"v1","freshness":"Stale"}]}]}`)
	}
	claim := schema.GroupKind{Kind: "PersistentVolumeClaim"}
	for name, test := range map[string]struct {
		change func(fakeapi.Responses)
		kind   schema.GroupKind
		says   string
		is     func(error) bool
	}{
		"no such object":            {notFound, claim, "explaining PersistentVolumeClaim shop/data: ", apierrors.IsNotFound},
		"no such kind":              {func(fakeapi.Responses) {}, schema.GroupKind{Kind: "Claim"}, "explaining Claim shop/data: the server has no such kind", nil},
		"a kind that may be served": {stale, schema.GroupKind{Group: "example.com", Kind: "Widget"}, "explaining Widget.example.com shop/data: example.com/v1 could not be discovered", nil},
	} {
		t.Run(name, func(t *testing.T) {
			config, stop := newCluster(test.change)
			defer stop()
			_, err := finalizers.Explain(t.Context(), config, test.kind, types.NamespacedName{Namespace: "shop", Name: "data"})
			if err == nil || !strings.HasPrefix(err.Error(), test.says) || test.is != nil && !test.is(err) {
				t.Errorf("the error is %v, not %q", err, test.says)
			}
		})
	}
}
