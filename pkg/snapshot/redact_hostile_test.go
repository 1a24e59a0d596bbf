package snapshot

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
)

// What others choose freely keeps no name of an object.
func TestRedactionKeepsNoChosenKeys(t *testing.T) {
	object := cart("payments", "acme")
	object["metadata"].(map[string]any)["labels"] = map[string]any{"payments/team": "x"}
	object["spec"] = map[string]any{
		"volumes":          []any{map[string]any{"configMap": map[string]any{"items": []any{map[string]any{"key": "payments-prod.yaml"}}}}},
		"imagePullSecrets": []any{map[string]any{"name": "pull-acme-registry"}},
	}
	forbidden := &metav1.Status{Message: `User "system:serviceaccount:citools:deployer" cannot list resource "carts"`}
	r := redactionOf(t, []dump.Answer{{Question: "list carts.shop.example.com other/", Error: forbidden}}, object)
	for _, text := range []string{"payments", "payments-prod.yaml", "pull-acme-registry", forbidden.Message, "-\\u003epayments"} {
		for _, name := range []string{"payments", "acme", "citools", "deployer"} {
			if strings.Contains(r.Text(text), name) {
				t.Errorf("%q has %s in %q", text, name, r.Text(text))
			}
		}
	}
}

// A text that looks like a long name of Kubernetes is read once. A search that tries all its parts would not end.
func TestRedactionOfLongNames(t *testing.T) {
	r := redactionOf(t, nil, cart("shop", "a"))
	text := strings.Repeat("a.k8s.io.", 200)
	if got := r.Text(text); strings.Contains(got, "a.k8s") {
		t.Errorf("%q", got[:40])
	}
}
