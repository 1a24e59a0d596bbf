package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func restoreStep(name string, change func(*removal.RestoreStep)) removal.RestoreStep {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shop.example.com/v1", "kind": "Cart"}}
	o.SetNamespace("shop")
	o.SetName(name)
	o.SetFinalizers([]string{"example.com/cleanup"})
	s := removal.RestoreStep{Type: cart, SavedCopy: removal.SavedCopy{File: "/copies/" + name + ".yaml", Object: o, Verified: true}}
	change(&s)
	return s
}

// TestRestoreScreens holds the plan of a restore as text, and its documents.
func TestRestoreScreens(t *testing.T) {
	add := func(s *removal.RestoreStep) {
		s.Add, s.Current = []string{"example.com/cleanup"}, stuck.Object{Type: cart, Name: "c", Namespace: "shop", UID: "1", ResourceVersion: "7"}
	}
	screen := report.RestoreScreen{Cluster: removal.Cluster{Server: "https://one", Context: "prod"}, Dir: "/copies", Steps: []removal.RestoreStep{
		restoreStep("a", func(s *removal.RestoreStep) { s.SavedCopy.Omitted = "the entries x" }),
		restoreStep("b", func(s *removal.RestoreStep) { s.SavedCopy.Omitted, s.SavedCopy.Verified = "the entries x", false }),
		restoreStep("c", add),
		restoreStep("d", func(s *removal.RestoreStep) {
			s.Reason, s.Refused = "its namespace does not exist", true
			s.Fix = stuck.Step{Action: stuck.ActionChange, Description: "create it first", Command: "kubectl create namespace shop"}
		}),
		restoreStep("e", func(s *removal.RestoreStep) { s.Reason = "it has all its finalizers" }),
	}}
	var out strings.Builder
	if err := report.RestorePlanText(&out, screen); err != nil {
		t.Fatal(err)
	}
	const want = `Cluster   prod (https://one)
Copies    /copies
Plan      recreate 2 objects, add finalizers to 1 object, leave 1 object unchanged, refuse 1 object; 1 copy is unverified
  cart.shop.example.com/a -n shop
      recreate     with example.com/cleanup
      without      the entries x, never saved
  cart.shop.example.com/b -n shop
      unverified   b.yaml: no digest in audit.jsonl matches
      recreate     with example.com/cleanup
      without      the entries x, never saved
  cart.shop.example.com/c -n shop
      add          example.com/cleanup
  cart.shop.example.com/d -n shop
      refused      cannot be restored: its namespace does not exist
      change       create it first
  kubectl create namespace shop
  cart.shop.example.com/e -n shop
      unchanged    it has all its finalizers
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	screen.Steps = screen.Steps[1:4]
	screen.Results = []removal.RestoreResult{{Step: screen.Steps[1], Outcome: removal.Failed, Message: "no"}}
	got, err := json.Marshal(report.NewRestoreDocument(screen))
	if err != nil {
		t.Fatal(err)
	}
	const document = `{"apiVersion":"kubectl-finalizers/v1alpha1","kind":"RestoreResult","server":"https://one","context":"prod","backup":"/copies","items":[` +
		`{"apiVersion":"shop.example.com/v1","kind":"Cart","metadata":{"namespace":"shop","name":"b","finalizers":["example.com/cleanup"]},"copy":"/copies/b.yaml","action":"Recreate","omitted":"the entries x","unverified":true,` +
		`"request":{"verb":"POST","path":"/apis/shop.example.com/v1/namespaces/shop/carts","body":{"apiVersion":"shop.example.com/v1","kind":"Cart","metadata":{"finalizers":["example.com/cleanup"],"name":"b","namespace":"shop"}}}},` +
		`{"apiVersion":"shop.example.com/v1","kind":"Cart","metadata":{"namespace":"shop","name":"c","finalizers":["example.com/cleanup"]},"copy":"/copies/c.yaml","action":"AddFinalizers",` +
		`"request":{"verb":"PATCH","path":"/apis/shop.example.com/v1/namespaces/shop/carts/c","body":[{"op":"test","path":"/metadata/uid","value":"1"},` +
		`{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"add","path":"/metadata/finalizers","value":["example.com/cleanup"]}]},"outcome":"Failed","message":"no"},` +
		`{"apiVersion":"shop.example.com/v1","kind":"Cart","metadata":{"namespace":"shop","name":"d","finalizers":[]},"copy":"/copies/d.yaml","action":"Refuse","reason":"its namespace does not exist","step":{"action":"change","description":"create it first","command":"kubectl create namespace shop"}}]}`
	if diff := cmp.Diff(document, string(got)); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}
