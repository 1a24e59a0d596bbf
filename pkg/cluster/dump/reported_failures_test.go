package dump_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What the conditions of a namespace report stands only for a list that the dump does not hold.
func TestReportedFailures(t *testing.T) {
	const (
		unreached = `conversion webhook for example.com/v1, Kind=Cart failed: Post "https://a.b.svc": service "a" not found`
		removed   = "StorageError: corrupt object, Code: 7, Key: /registry/example.com/carts/shop/a, ResourceVersion: 0, AdditionalErrorMsg: object not decodable revision=9: request to convert CR from an invalid group/version: example.com/v1"
	)
	namespace := func(status, failure string) string {
		return "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, deletionTimestamp: '2026-08-21T17:12:00Z'}\nstatus:\n  conditions:\n" +
			"  - type: NamespaceDeletionContentFailure\n    status: '" + status + "'\n    message: 'Failed to delete all resource types, 1 remaining: failed to read one or more" +
			" carts.example.com from the storage: " + failure + "'\n"
	}
	const (
		crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: carts.example.com}\nspec: {group: example.com, scope: Namespaced," +
			" names: {plural: carts, kind: Cart}, versions: [{name: v2, served: true}]}\n"
		list = "apiVersion: example.com/v2\nkind: CartList\nitems: []\nmetadata:\n  resourceVersion: \"7\"\n"
	)
	cart := stuck.Type{Group: "example.com", Version: "v2", Resource: "carts", Kind: "Cart", Namespaced: true}
	for name, test := range map[string]struct {
		files    map[string]string
		reported string
		absent   bool
	}{
		"not converted": {files: map[string]string{"namespaces/shop/shop.yaml": namespace("True", unreached)}, reported: `service "a" not found`},
		"no version":    {files: map[string]string{"namespaces/shop/shop.yaml": namespace("True", removed)}, reported: "example.com/v1"},
		"over":          {files: map[string]string{"namespaces/shop/shop.yaml": namespace("False", unreached)}},
		"listed itself": {files: map[string]string{"namespaces/shop/shop.yaml": namespace("True", unreached), "namespaces/shop/example.com/carts.yaml": list}, absent: true},
	} {
		t.Run(name, func(t *testing.T) {
			test.files["cluster-scoped-resources/apiextensions.k8s.io/customresourcedefinitions/carts.example.com.yaml"] = crd
			source := open(t, test.files)
			err := source.List(t.Context(), cart, cluster.Selection{Namespace: "shop"}, func(unstructured.Unstructured) {})
			var reported *cluster.ReportedListError
			if errors.As(err, &reported) != (test.reported != "") || (err == nil) != test.absent || err != nil && !strings.Contains(err.Error(), test.reported) {
				t.Errorf("the list in the namespace: %v", err)
			}
			if err := source.List(t.Context(), cart, cluster.Selection{Namespace: "bank"}, func(unstructured.Unstructured) {}); err == nil || strings.Contains(err.Error(), "report") {
				t.Errorf("the list in another namespace: %v", err)
			}
		})
	}
}
