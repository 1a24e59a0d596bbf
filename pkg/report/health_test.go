package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var orders = stuck.Type{Group: "orders.example.com", Version: "v1", Resource: "orders", Kind: "Order", Namespaced: true}

// ordersNamed are orders in namespace warehouse.
func ordersNamed(names ...string) []stuck.Object {
	var out []stuck.Object
	for _, name := range names {
		out = append(out, stuck.Object{Type: orders, Namespace: "warehouse", Name: name})
	}
	return out
}

func healthText(t *testing.T, h stuck.Health, width int, wide bool) string {
	t.Helper()
	var b strings.Builder
	if err := report.HealthText(&b, h, width, wide); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The first line says that no problems were found only beside what was checked.
func TestHealthSummary(t *testing.T) {
	fine := stuck.Check{Name: "list"}
	incomplete := stuck.Check{Name: "list", Incomplete: true}
	warning := stuck.Check{Name: "list", Problems: []stuck.Problem{{State: stuck.Warning}}}
	problem := stuck.Check{Name: "webhooks", Problems: []stuck.Problem{{State: stuck.Unhealthy, Blocks: ordersNamed("a", "b")}, {State: stuck.Unhealthy, Blocks: ordersNamed("b", "c")}}}
	harmless := stuck.Check{Name: "webhooks", Problems: []stuck.Problem{{State: stuck.Unhealthy}}}
	for name, test := range map[string]struct {
		h    stuck.Health
		want string
	}{
		"every check":                {stuck.Health{Checks: []stuck.Check{fine}, AvailableChecks: 1}, "No problems found. 1 of 1 check ran."},
		"every check, of some types": {stuck.Health{Checks: []stuck.Check{fine}, AvailableChecks: 1, OnlyTypes: []string{"pods", "orders.orders.example.com"}, Namespace: "shop"}, "No problems found for pods, orders.orders.example.com -n shop. 1 of 1 check ran."},
		"every check, a namespace":   {stuck.Health{Checks: []stuck.Check{fine}, AvailableChecks: 1, Namespace: "shop"}, "No problems found in namespace shop. 1 of 1 check ran."},
		"one of several":             {stuck.Health{Checks: []stuck.Check{fine}, AvailableChecks: 7}, "No problems found. 1 of 7 checks ran."},
		"deletions are stuck":        {stuck.Health{Checks: []stuck.Check{fine}, AvailableChecks: 1, StuckObjects: 3}, "No problems found; 3 objects are stuck in Terminating. 1 of 1 check ran."},
		"a warning":                  {stuck.Health{Checks: []stuck.Check{warning}, AvailableChecks: 7}, "No problems found; 1 warning. 1 of 7 checks ran."},
		"an incomplete check":        {stuck.Health{Checks: []stuck.Check{incomplete}, AvailableChecks: 7}, "No problems found; not everything could be read: 1 check incomplete. 1 of 7 checks ran."},
		"a gap of no check":          {stuck.Health{Checks: []stuck.Check{fine}, AvailableChecks: 1, Gaps: []stuck.Gap{{Source: "x"}}}, "No problems found; not everything could be read. 1 of 1 check ran."},
		"problems that block":        {stuck.Health{Checks: []stuck.Check{problem, warning}, AvailableChecks: 2, StuckObjects: 5}, "2 problems, which block 3 of 5 deletions; 1 warning."},
		"some checks, incomplete":    {stuck.Health{Checks: []stuck.Check{problem, incomplete}, AvailableChecks: 7, StuckObjects: 5}, "2 problems, which block 3 of at least 5 deletions; not everything could be read: 1 check incomplete. 2 of 7 checks ran."},
		"interrupted":                {stuck.Health{Checks: []stuck.Check{incomplete}, AvailableChecks: 7, Interrupted: true}, "Interrupted; no problems found until then; not everything could be read: 1 check incomplete."},
		"interrupted, a problem":     {stuck.Health{Checks: []stuck.Check{problem}, AvailableChecks: 7, Interrupted: true, StuckObjects: 5}, "Interrupted; until then 2 problems, which block 3 of 5 deletions."},
		"a problem without impact":   {stuck.Health{Checks: []stuck.Check{harmless}, AvailableChecks: 1}, "1 problem."},
	} {
		t.Run(name, func(t *testing.T) {
			test.h.Version, test.h.Duration = "v1.37.1", 11234*time.Millisecond
			first, _, _ := strings.Cut(healthText(t, test.h, 0, false), "\n\n")
			first = strings.Join(strings.Fields(first), " ")
			if want := test.want + " Kubernetes v1.37.1, checked for 11s."; first != want {
				t.Errorf("the first line is\n%s\nnot\n%s", first, want)
			}
		})
	}
}

// webhookHealth is a cluster with a webhook that blocks deletions and an APIService that
// blocks none.
func webhookHealth() stuck.Health {
	webhook := stuck.Problem{
		State: stuck.Unhealthy, Reason: "webhook-unreachable", Causes: []string{"write-webhook-down", "delete-webhook-down"}, Subject: stuck.Culprit{Kind: "ValidatingWebhookConfiguration", Name: "order-check"},
		Message:  "webhook check.orders.example.com of validatingwebhookconfiguration/order-check cannot be called",
		Evidence: []string{"service/order-check -n wares-system does not exist"},
		Blocks:   append(ordersNamed("a", "b", "c"), stuck.Object{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "warehouse"}),
		Impact:   []string{"failurePolicy is Fail: each such write is rejected, those of controllers too"},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "why is the Service missing?"},
			{Action: stuck.ActionDelete, Description: "only if its software was uninstalled", Command: "kubectl get validatingwebhookconfiguration order-check -o yaml > order-check.yaml && kubectl delete validatingwebhookconfiguration order-check"},
		},
	}
	service := stuck.Problem{State: stuck.Unhealthy, Reason: "apiservice-unavailable", Message: "apiservice/v1.a is not available"}
	lease := stuck.Problem{State: stuck.Warning, Reason: "lease-left-behind", Message: "lease/x -n ops expired"}
	return stuck.Health{
		Version: "v1.37.1", Duration: 400 * time.Millisecond, AvailableChecks: 3, StuckObjects: 4,
		Checks: []stuck.Check{
			{Name: "apiservices", Summary: "/readyz ok; 58 of 59 APIServices available", Problems: []stuck.Problem{service}},
			{Name: "list", Summary: "59 of 60 types can be listed", Details: []string{"slowest list: 5ms (pods)"}, Incomplete: true},
			{Name: "webhooks", Summary: "1 of 1 admission webhook unreachable", Problems: []stuck.Problem{lease, webhook}, Incomplete: true},
		},
		Gaps: []stuck.Gap{{Source: "orders.orders.example.com -n a-namespace-with-a-long-name", Error: "forbidden", MissingPermission: &stuck.Permission{Verb: "list", Group: "orders.example.com", Resource: "orders"}}},
	}
}

func TestHealthText(t *testing.T) {
	const want = `2 problems, which block 4 of at least 4 deletions; 1 warning; not everything
could be read: 2 checks incomplete. Kubernetes v1.37.1, checked for 400ms.

CHECK        RESULT      SUMMARY
apiservices  PROBLEM     /readyz ok; 58 of 59 APIServices available
list         INCOMPLETE  59 of 60 types can be listed
webhooks     PROBLEM     1 of 1 admission webhook unreachable; incomplete

PROBLEM  webhook check.orders.example.com of
         validatingwebhookconfiguration/order-check cannot be called (webhooks)
  blocks 4 deletions: namespace/warehouse, 3 orders.orders.example.com
    -n warehouse (a, b, c)
  cause: write-webhook-down, delete-webhook-down
  - service/order-check -n wares-system does not exist
  impact: failurePolicy is Fail: each such write is rejected, those of
    controllers too
  check: why is the Service missing?
  delete: only if its software was uninstalled
  kubectl get validatingwebhookconfiguration order-check -o yaml > order-check.yaml && kubectl delete validatingwebhookconfiguration order-check

PROBLEM  apiservice/v1.a is not available (apiservices)

WARNING  lease/x -n ops expired (webhooks)

Not checked
`
	text := healthText(t, webhookHealth(), 80, false)
	if !strings.HasPrefix(text, want) {
		t.Errorf("the report is\n%s\nnot\n%s", text, want)
	}
	if !strings.Contains(text, "\n  kubectl create clusterrole ") {
		t.Errorf("the command for the missing right is wrapped or missing:\n%s", text)
	}
	for _, line := range strings.Split(text, "\n") {
		if len(line) > 80 && !strings.HasPrefix(line, "  kubectl ") {
			t.Errorf("a line is wider than 80 columns: %s", line)
		}
	}
	if wide := healthText(t, webhookHealth(), 80, true); !strings.Contains(wide, "slowest list: 5ms (pods)") {
		t.Errorf("the wide report has no details:\n%s", wide)
	}
}

// More than a handful of problems of one kind are one block, with the names of all.
func TestHealthTextGroupsSimilarProblems(t *testing.T) {
	h := stuck.Health{StuckObjects: 6}
	check := stuck.Check{Name: "watchers"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		check.Problems = append(check.Problems, stuck.Problem{
			State: stuck.Unhealthy, Reason: "unwatched-deletions", Subject: stuck.Culprit{Kind: "type", Name: name + ".example.com"},
			Message: "no controller watches " + name + ".example.com", Blocks: ordersNamed(name),
		})
	}
	h.Checks = []stuck.Check{check}
	text := healthText(t, h, 100, false)
	for _, want := range []string{
		"6 problems, which block 6 of 6 deletions", "PROBLEM  no controller watches a.example.com, and 5 similar problems (watchers)\n",
		"  blocks 6 deletions: 6 orders.orders.example.com -n warehouse\n", "-o json): b.example.com, c.example.com, d.example.com, e.example.com,\n    f.example.com\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "PROBLEM  "); n != 2 { // in the table, and of the block
		t.Errorf("there are %d blocks:\n%s", n-1, text)
	}
}

// Controllers that are down for other reasons need other repairs: they are no similar problems.
func TestHealthTextKeepsCausesApart(t *testing.T) {
	check := stuck.Check{Name: "controllers"}
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		p := stuck.Problem{
			State: stuck.Unhealthy, Reason: "controller-down", Causes: []string{"controller-scaled-to-zero"}, Subject: stuck.Culprit{Kind: "Deployment", Name: name},
			Message: name + " is scaled to 0", Steps: []stuck.Step{{Action: stuck.ActionChange, Description: "scale up " + name, Command: "kubectl scale " + name}},
		}
		if i == 6 {
			p.Causes, p.Message = []string{"controller-crash-looping"}, name+" crashes"
		}
		check.Problems = append(check.Problems, p)
	}
	text := healthText(t, stuck.Health{Checks: []stuck.Check{check}}, 100, false)
	for _, want := range []string{
		"PROBLEM  a is scaled to 0, and 5 similar problems (controllers)\n", "  change: scale up a (and similarly for 5 other problems)\n", "PROBLEM  g crashes (controllers)\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q:\n%s", want, text)
		}
	}
}

func TestHealthReport(t *testing.T) {
	text, err := json.Marshal(report.NewHealthReport(webhookHealth()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"state":"Unhealthy","seconds":0.4,"availableChecks":3,"onlyTypes":[],"stuckObjects":4,"blockedObjects":4,`,
		`"problems":[{"state":"Unhealthy","reason":"apiservice-unavailable","causes":[],`,
		`"causes":["write-webhook-down","delete-webhook-down"],`,
		`"steps":[{"action":"check","description":"why is the Service missing?"},{"action":"delete",`,
		`"blocks":[{"apiVersion":"v1","kind":"Namespace","name":"warehouse"},{"apiVersion":"orders.example.com/v1","kind":"Order","namespace":"warehouse","name":"a"},`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the document has no %s:\n%s", want, text)
		}
	}
}
