package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var cart = stuck.Type{Group: "shop.example.com", Version: "v1", Resource: "carts", Kind: "Cart", Namespaced: true}

func cartNamed(name string) stuck.Object {
	return stuck.Object{
		Type: cart, Namespace: "shop", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "7",
		DeletionTime: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC), Finalizers: []string{"example.com/cleanup"},
	}
}

func cartStep(name, lost string) removal.Step {
	return removal.Step{
		Object: cartNamed(name), Finalizers: []string{"example.com/cleanup"}, Verdict: stuck.ControllerGone,
		Costs: []stuck.Cost{{Leaves: stuck.LeakExternal, Description: lost}}, Overrides: []string{removal.FlagAcceptLeaks},
	}
}

// linesOf are the lines of a text that hold one of some words.
func linesOf(text string, words ...string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for _, word := range words {
			if strings.Contains(line, word) {
				out = append(out, strings.TrimRight(line, "\n"))
				break
			}
		}
	}
	return out
}

func TestPlanText(t *testing.T) {
	plan := removal.Plan{Cluster: removal.Cluster{Server: "https://one", Context: "prod"}}
	for i := range stuck.MaxUngrouped + 1 {
		plan.Steps = append(plan.Steps, cartStep(fmt.Sprintf("many-%d", i), "a bucket"))
	}
	plan.Steps = append(plan.Steps, cartStep("a", "a disk"), cartStep("b", "a disk"), removal.Step{
		Object:         stuck.Object{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "shop", SpecFinalizers: []string{"kubernetes"}},
		SpecFinalizers: []string{"kubernetes"}, Verdict: stuck.Unknown,
	})
	var out strings.Builder
	report.PlanText(&out, plan)
	want := []string{
		"In cluster https://one (context prod)",
		"Planned, in this order",
		"  6 carts.shop.example.com -n shop, such as many-0",
		"    leaves behind (external resources): a bucket",
		"    sends 6 like: PATCH /apis/shop.example.com/v1/namespaces/shop/carts/many-0",
		"  cart.shop.example.com/a, cart.shop.example.com/b -n shop",
		"    leaves behind (external resources): a disk",
		"    sends 2 like: PATCH /apis/shop.example.com/v1/namespaces/shop/carts/a",
		"  namespace/shop",
		"    what is still there then is lost: it stays in etcd, out of reach unless a namespace of that name is created again",
		"    sends: PUT /api/v1/namespaces/shop/finalize",
	}
	got := linesOf(out.String(), "cluster ", "Planned", "such as", "leaves behind", "sends", "cart.shop.example.com/", "namespace/shop", "is lost")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestRefusalsFold holds that those refused for one reason are told together, and that a
// command which is about something else than the object is told of each.
func TestRefusalsFold(t *testing.T) {
	refusal := func(name, command string, culprit stuck.Culprit) removal.Refusal {
		return removal.Refusal{
			Object: cartNamed(name), Reason: "is blocked", Override: "or pass " + removal.FlagOverrideVerdict,
			Fix: stuck.Step{Action: stuck.ActionChange, Description: "fix that first", Command: command}, Culprit: culprit,
		}
	}
	var out strings.Builder
	report.PlanText(&out, removal.Plan{Refusals: []removal.Refusal{
		refusal("a", cartNamed("a").Command("edit"), stuck.Culprit{}),
		refusal("b", cartNamed("b").Command("edit"), stuck.Culprit{}),
		refusal("c", "kubectl get node one", stuck.Culprit{Kind: "Node", Name: "one"}),
		refusal("d", "kubectl get node two", stuck.Culprit{Kind: "Node", Name: "two"}),
	}})
	want := []string{
		"  cart.shop.example.com/a, cart.shop.example.com/b -n shop",
		"    fix that first: kubectl edit cart.shop.example.com/a -n shop; or pass --override-verdict",
		"  cart.shop.example.com/c -n shop",
		"    fix that first: kubectl get node one; or pass --override-verdict",
		"  cart.shop.example.com/d -n shop",
		"    fix that first: kubectl get node two; or pass --override-verdict",
	}
	if diff := cmp.Diff(want, linesOf(out.String(), " -n shop", "fix that")); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestResultText(t *testing.T) {
	result := func(name string, outcome removal.Outcome, message string) removal.Result {
		return removal.Result{Step: cartStep(name, "a disk"), Outcome: outcome, Message: message}
	}
	r := removal.Report{
		Cluster: removal.Cluster{Server: "https://one"}, BackupDir: "/backup",
		Gone: []stuck.Object{cartNamed("a"), cartNamed("other")}, Remaining: []stuck.Object{cartNamed("b")},
	}
	for i := range stuck.MaxUngrouped + 1 {
		r.Results = append(r.Results, result(fmt.Sprintf("many-%d", i), removal.Done, "gone"))
	}
	saved := result("a", removal.Done, "gone")
	saved.Saved.Omitted = "its data"
	r.Results = append(r.Results, saved, result("b", removal.Failed, "no"), result("c", removal.Failed, "no"), result("d", removal.NotAttempted, "not tried"))
	var out strings.Builder
	report.ResultText(&out, r)
	want := `6 carts.shop.example.com -n shop, such as many-0, done: gone
cart.shop.example.com/a done: gone; the saved copy is without its data
cart.shop.example.com/b failed: no
cart.shop.example.com/c failed: no
cart.shop.example.com/d left: not tried
7 done, 0 gone by themselves, 0 refused, 2 failed, 1 left
cluster https://one; saved copies and audit.jsonl in /backup
to do what was not done, run the same command again
cart.shop.example.com/other is gone
cart.shop.example.com/b is still there: kubectl finalizers explain cart.shop.example.com/b -n shop
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestRemovalDocuments holds the shapes of the documents of force-remove.
func TestRemovalDocuments(t *testing.T) {
	step := cartStep("a", "a disk")
	refused := removal.Refusal{Object: cartNamed("b"), Reason: "is blocked", Fix: stuck.Step{Action: stuck.ActionCheck, Description: "wait"}}
	const item = `"apiVersion":"shop.example.com/v1","kind":"Cart","resource":"carts","namespace":"shop","name":"%[1]s","uid":"uid-%[1]s",` +
		`"deletionTimestamp":"2026-03-01T03:00:00Z","finalizers":["example.com/cleanup"]`
	a, b := fmt.Sprintf(item+`,"verdict":"ControllerGone"`, "a"), fmt.Sprintf(item, "b")
	for name, test := range map[string]struct {
		document any
		want     string
	}{
		"plan": {
			report.NewRemovalPlan(removal.Plan{Cluster: removal.Cluster{Server: "https://one"}, Steps: []removal.Step{step}, Skipped: []removal.Refusal{refused}}, "0123"),
			`{"apiVersion":"kubectl-finalizers/v1alpha1","kind":"RemovalPlan","server":"https://one","token":"0123","steps":[{` + a +
				`,"remove":["example.com/cleanup"],"leaves":[{"leaves":"ExternalResources","description":"a disk"}],"overrides":["--accept-leaks"],` +
				`"requests":[{"verb":"PATCH","path":"/apis/shop.example.com/v1/namespaces/shop/carts/a","body":[` +
				`{"op":"test","path":"/metadata/uid","value":"uid-a"},{"op":"test","path":"/metadata/finalizers/0","value":"example.com/cleanup"},` +
				`{"op":"remove","path":"/metadata/finalizers/0"}]}]}],"refusals":[],"skipped":[{` + b + `,"why":"is blocked","way":"wait"}]}`,
		},
		"result": {
			report.NewRemovalResult(removal.Report{
				Cluster: removal.Cluster{Server: "https://one", Context: "prod"}, BackupDir: "/backup", Remaining: []stuck.Object{cartNamed("b")},
				Results: []removal.Result{{Step: step, Outcome: removal.Done, Message: "gone", Saved: removal.BackupFile{Path: "/backup/a.yaml", Omitted: "its data"}}},
			}),
			`{"apiVersion":"kubectl-finalizers/v1alpha1","kind":"RemovalResult","server":"https://one","context":"prod","backup":"/backup","items":[{` + a +
				`,"outcome":"done","says":"gone","saved":"/backup/a.yaml","omitted":"its data"}],"gone":[],"left":[{` + b + `}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(test.document)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
}
