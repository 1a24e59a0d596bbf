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

var namespaceShop = stuck.Object{
	Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "shop",
	DeletionTime: time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC), SpecFinalizers: []string{"kubernetes"},
}

func TestPlanText(t *testing.T) {
	plan := removal.Plan{Cluster: removal.Cluster{Server: "https://one", Context: "prod"}}
	for i := range stuck.MaxUngrouped + 1 {
		plan.Steps = append(plan.Steps, cartStep(fmt.Sprintf("many-%d", i), "a bucket"))
	}
	plan.Steps = append(plan.Steps, cartStep("a", "a disk"), cartStep("b", "a disk"), removal.Step{
		Object: namespaceShop, SpecFinalizers: []string{"kubernetes"}, Verdict: stuck.Unknown,
		Costs:     []stuck.Cost{{Leaves: stuck.LeakData, Description: "everything else in the namespace"}, {Leaves: stuck.LeakNothing, Description: "nothing more"}},
		Overrides: []string{removal.FlagOverrideVerdict, removal.FlagStrandContent},
	})
	var out strings.Builder
	report.PlanText(&out, report.PlanScreen{
		Plan: plan, User: "admin", Targets: []*stuck.Diagnosis{{Object: namespaceShop, Verdict: stuck.Unknown}},
		Now: namespaceShop.DeletionTime.Add(192 * time.Minute), DryRunAccepted: true, BackupDir: "/backup",
	})
	want := `Cluster   prod (https://one), user admin
Target    namespace/shop, stuck for 3h12m, Unknown
Plan      remove 9 finalizers from 9 objects; nothing else is changed
  6 carts.shop.example.com -n shop (many-0 ... many-5)
      remove       example.com/cleanup
      verdict      ControllerGone
      left behind  external resources: a bucket (allowed by --accept-leaks)
  cart.shop.example.com/a, cart.shop.example.com/b -n shop
      remove       example.com/cleanup
      verdict      ControllerGone
      left behind  external resources: a disk (allowed by --accept-leaks)
  namespace/shop
      remove       kubernetes (spec.finalizers) (allowed by --strand-content)
      verdict      Unknown (allowed by --override-verdict)
      left behind  data: everything else in the namespace
                   nothing: nothing more
      stranded     whatever is in the namespace then: it stays in etcd, out of
                   reach until a namespace with its name is created
      condition    all steps before it succeed, and the namespace controller
                   does not delete it first
Dry run   9 of 9 accepted by the API server (the requests: -o json)
Copies    /backup
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestRefusalsFold holds that similar refusals are printed once, that those of one object stand together, and that a command
// which is about something else than the object is printed for each.
func TestRefusalsFold(t *testing.T) {
	refusal := func(name, command string, culprit stuck.Culprit) removal.Refusal {
		return removal.Refusal{
			Object: cartNamed(name), Reason: "Blocked: a node is gone", Override: removal.FlagOverrideVerdict,
			Fix: stuck.Step{Action: stuck.ActionChange, Description: "start it again", Command: command}, Culprit: culprit,
		}
	}
	lost := func(name string) removal.Refusal {
		return removal.Refusal{Object: cartNamed(name), Reason: "data would be lost: a disk", Override: removal.FlagAcceptDataLoss}
	}
	var out strings.Builder
	report.PlanText(&out, report.PlanScreen{Plan: removal.Plan{Cluster: removal.Cluster{Server: "https://one"}, Refusals: []removal.Refusal{
		refusal("a", cartNamed("a").Command("edit"), stuck.Culprit{}), lost("a"),
		refusal("b", cartNamed("b").Command("edit"), stuck.Culprit{}), lost("b"),
		refusal("c", "kubectl get node one", stuck.Culprit{Kind: "Node", Name: "one"}),
		refusal("d", "kubectl get node two", stuck.Culprit{Kind: "Node", Name: "two"}),
	}}})
	want := `Cluster   https://one
Refused   nothing is changed, for:
  cart.shop.example.com/a, cart.shop.example.com/b -n shop
      reason       Blocked: a node is gone
      change       start it again
  kubectl edit cart.shop.example.com/a -n shop
      or pass      --override-verdict, to remove the finalizers all the same
      reason       data would be lost: a disk
      or pass      --accept-data-loss, to accept that data is lost
  cart.shop.example.com/c -n shop
      reason       Blocked: a node is gone
      change       start it again
  kubectl get node one
      or pass      --override-verdict, to remove the finalizers all the same
  cart.shop.example.com/d -n shop
      reason       Blocked: a node is gone
      change       start it again
  kubectl get node two
      or pass      --override-verdict, to remove the finalizers all the same
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestResultText(t *testing.T) {
	result := func(name string, outcome removal.Outcome, message string) removal.Result {
		return removal.Result{Step: cartStep(name, "a disk"), Outcome: outcome, Message: message}
	}
	r := removal.Report{
		Cluster: removal.Cluster{Server: "https://one"}, BackupDir: "/my backup", Duration: 2096 * time.Millisecond,
		Gone: []stuck.Object{cartNamed("a"), cartNamed("other")}, Remaining: []stuck.Object{cartNamed("b")},
	}
	for i := range stuck.MaxUngrouped + 1 {
		r.Results = append(r.Results, result(fmt.Sprintf("many-%d", i), removal.Done, "deleted"))
	}
	saved := result("a", removal.Done, "deleted")
	saved.Saved = removal.BackupFile{Path: "/my backup/a.yaml", Omitted: "its data"}
	r.Results = append(r.Results, saved, result("b", removal.Failed, "no"), result("c", removal.Failed, "no"), result("d", removal.NotAttempted, "interrupted"))
	var out strings.Builder
	report.ResultText(&out, r, "kubectl finalizers restore")
	want := `6 carts.shop.example.com -n shop (many-0 ... many-5) done: deleted
cart.shop.example.com/a -n shop done: deleted; the saved copy is without its data
cart.shop.example.com/b -n shop failed: no
cart.shop.example.com/c -n shop failed: no
cart.shop.example.com/d -n shop not attempted: interrupted
Finalizers removed from 7 of 10 objects; 2 failed; 1 not attempted (2.1s).
To do what was not done, run the same command again.
cart.shop.example.com/other -n shop is deleted.
cart.shop.example.com/b -n shop still exists; to see why:
  kubectl finalizers explain cart.shop.example.com/b -n shop
Cluster   https://one
Copies    /my backup
Audit     /my backup/audit.jsonl
To restore from the copies:
  kubectl finalizers restore '/my backup'
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestRemovalDocuments holds the shapes of the documents of force-remove.
func TestRemovalDocuments(t *testing.T) {
	step := cartStep("a", "a disk")
	refused := removal.Refusal{Object: cartNamed("b"), Reason: "is blocked", Fix: stuck.Step{Action: stuck.ActionCheck, Description: "wait"}}
	const item = `"apiVersion":"shop.example.com/v1","kind":"Cart","metadata":{"namespace":"shop","name":"%[1]s","uid":"uid-%[1]s",` +
		`"deletionTimestamp":"2026-03-01T03:00:00Z","finalizers":["example.com/cleanup"]},"resource":"carts"`
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
				`{"op":"test","path":"/metadata/uid","value":"uid-a"},{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"test","path":"/metadata/finalizers/0","value":"example.com/cleanup"},` +
				`{"op":"remove","path":"/metadata/finalizers/0"}]}]}],"refusals":[],"skipped":[{` + b + `,"reason":"is blocked","step":{"action":"check","description":"wait"}}]}`,
		},
		"result": {
			report.NewRemovalResult(removal.Report{
				Cluster: removal.Cluster{Server: "https://one", Context: "prod"}, BackupDir: "/backup", Remaining: []stuck.Object{cartNamed("b")},
				Results: []removal.Result{{Step: step, Outcome: removal.Done, Message: "deleted", Saved: removal.BackupFile{Path: "/backup/a.yaml", Omitted: "its data"}}},
			}),
			`{"apiVersion":"kubectl-finalizers/v1alpha1","kind":"RemovalResult","server":"https://one","context":"prod","backup":"/backup","items":[{` + a +
				`,"outcome":"Done","message":"deleted","copy":"/backup/a.yaml","omitted":"its data"}],"gone":[],"remaining":[{` + b + `}]}`,
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
