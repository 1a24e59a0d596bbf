package health

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// namespaceAnswer is a namespace as it is, being deleted, absent or hidden.
func namespaceAnswer(state string) recording.Answer {
	metadata := map[string]any{"name": "kitchen"}
	a := recording.Answer{Question: "get namespaces/kitchen", Objects: []map[string]any{{"metadata": metadata, "status": map[string]any{"conditions": []any{
		map[string]any{
			"type": "NamespaceDeletionContentFailure", "status": "True", "reason": "ContentDeletionFailed",
			"message": `Failed to delete all resource types, 1 remaining: Internal error occurred: failed calling webhook "guard": failed to call webhook: Post "https://gone.kitchen.svc:443/?timeout=10s": service "gone" not found`,
		},
	}}}}}
	switch state {
	case "deleted":
		metadata["deletionTimestamp"] = "2026-03-01T02:00:00Z"
	case "absent":
		a.Error = &metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	case "hidden":
		a.Error = &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden}
	}
	return a
}

func stepsText(p stuck.Problem) string {
	var lines []string
	for _, s := range p.Steps {
		lines = append(lines, s.Description+": "+s.Command)
	}
	return strings.Join(lines, "\n")
}

// The first step never destroys anything, and is one that can be done where the
// namespace of the Service is what it is.
func TestFirstStepOfAnAPIService(t *testing.T) {
	s := cluster.APIService{ObjectMeta: metav1.ObjectMeta{Name: "v1.food.example.com"}}
	s.Spec.Service = &cluster.ServiceReference{Namespace: "kitchen", Name: "gone"}
	for state, want := range map[string]string{
		"there":   "kubectl -n kitchen get service,endpointslices,pods",
		"absent":  "is the software of service/gone -n kitchen still needed? Then reinstall it, in the same version (namespace kitchen does not exist)",
		"deleted": "kubectl finalizers explain namespace/kitchen",
		"hidden":  "kubectl describe apiservice v1.food.example.com",
	} {
		t.Run(state, func(t *testing.T) {
			c := newRecordedChecker(t, namespaceAnswer(state), recording.Answer{Question: "get services/gone in kitchen", Error: &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}})
			problem, bad := c.unavailableAPIService(s)
			first, _, _ := strings.Cut(stepsText(problem), "\n")
			if !bad || !strings.Contains(first, want) || problem.Steps[0].Action != stuck.ActionCheck {
				t.Errorf("the first step is %q, not a check with %q", first, want)
			}
			evidence := strings.Join(problem.Evidence, "\n")
			if strings.Contains(evidence, "namespace kitchen is being deleted (Terminating)") != (state == "deleted") {
				t.Errorf("the evidence is %s", evidence)
			}
		})
	}
}

// A webhook that is asked before objects are deleted holds up namespaces, though nothing
// in them is being deleted.
func TestWebhookThatBlocksDeletions(t *testing.T) {
	h := newWebhook("guard", func(h *backend.Webhook) {
		h.Service = &cluster.ServiceReference{Namespace: "kitchen", Name: "gone"}
		h.Rules[0].Operations = []admissionv1.OperationType{admissionv1.Delete}
	})
	c := newRecordedChecker(t, namespaceAnswer("deleted"),
		recording.Answer{Question: "get services/gone in kitchen", Error: &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}},
		recording.Answer{Question: "scan pods in kitchen"},
		recording.Answer{Question: "scan widgets.example.com in kitchen", Objects: []map[string]any{
			{"metadata": map[string]any{"name": "soup", "namespace": "kitchen", "uid": "1"}}, {"metadata": map[string]any{"name": "stew", "namespace": "kitchen", "uid": "2"}},
		}})
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}
	c.snapshot.deleting = []stuck.Object{{Type: namespaces, Name: "kitchen", DeletionTime: now}}
	problems, unhealthy := c.admissionProblems(groupWebhooks(c, []backend.Webhook{h})[0], cluster.Metrics{})
	if len(problems) != 1 || !unhealthy {
		t.Fatalf("it has %d problems", len(problems))
	}
	text := strings.Join(append(problems[0].Evidence, problems[0].Impact...), "\n") + "\n" + stepsText(problems[0])
	for _, want := range []string{
		"namespace kitchen is being deleted (Terminating), so nothing can be created in it",
		"the namespace controller cannot delete 2 widgets.example.com -n kitchen",
		"reinstall it in another namespace, or in this one after it is deleted",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if blocks := stuck.BlockedBy(problems...); len(blocks) != 1 || blocks[0].Ref() != "namespace/kitchen" {
		t.Errorf("it blocks %v", blocks)
	}
	if strings.Contains(text, "get service,endpointslices,pods") {
		t.Errorf("it repairs what cannot be repaired:\n%s", text)
	}
	other := newWebhook("other", func(h *backend.Webhook) { h.Service = &cluster.ServiceReference{Namespace: "kitchen", Name: "gone"} })
	if got := c.blockedDeletions([]backend.Webhook{other}); len(got) > 0 {
		t.Errorf("another webhook is said to block %v", got)
	}
}

// A namespace whose deletion fails because objects of a type cannot be converted is blocked
// by the webhook of that type, and by that of no other.
func TestConversionThatBlocksNamespaces(t *testing.T) {
	answer := namespaceAnswer("deleted")
	condition := answer.Objects[0]["status"].(map[string]any)["conditions"].([]any)[0].(map[string]any)
	condition["message"] = `Failed to delete all resource types, 1 remaining: conversion webhook for example.com/v2, Kind=Widget failed: Post "https://gone.ops.svc:443/": service "gone" not found`
	c := newRecordedChecker(t, answer)
	c.snapshot.deleting = []stuck.Object{{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "kitchen", DeletionTime: now}}
	if got := c.namespacesFailingConversion(widgets); len(got) != 1 || got[0].Name != "kitchen" {
		t.Errorf("the webhook of widgets blocks %v", got)
	}
	if got := c.namespacesFailingConversion(pods); len(got) > 0 {
		t.Errorf("a webhook of pods blocks %v", got)
	}
}

// What is scaled to zero, or does not come to run, has no logs to read.
func TestFirstStepOfALeaseFollowsItsWorkload(t *testing.T) {
	operator := cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "operator", Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "operator"}}}
	wanted := operator
	wanted.Desired = 1
	deleted := wanted
	deleted.Deleting = true
	for name, test := range map[string]struct {
		workload cluster.Workload
		want     string
	}{
		"scaled to zero": {operator, "scale up deployment/operator: kubectl -n ops scale deployment/operator --replicas=1"},
		"without pods":   {wanted, "why are the pods of deployment/operator not running?: kubectl -n ops get pods -o wide"},
		"being deleted":  {deleted, "deployment/operator is being deleted; if still needed, reinstall it after that: kubectl -n ops get deployment/operator"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newRecordedChecker(t, recording.Answer{Question: "list pods in ops with labels app=operator"}, recording.Answer{Question: "list pods in ops"})
			got := stepsText(c.workloadLeaseProblem(stuck.Problem{}, "lease/operator", test.workload, nil))
			if got != test.want {
				t.Errorf("the steps are %q, not %q", got, test.want)
			}
		})
	}
}

// A problem has the ids of the causes that explain names.
func TestCausesOfProblems(t *testing.T) {
	conversion := errors.New(`conversion webhook for example.com/v1, Kind=Widget failed: Post "https://gone.ops.svc:443/": service "gone" not found`)
	for name, test := range map[string]struct {
		got  []string
		want string
	}{
		"scaled to zero":       {faultCauses(controller.FaultScaledToZero), "controller-scaled-to-zero"},
		"crash loop":           {faultCauses(controller.FaultCrashLooping), "controller-crash-looping"},
		"a failing conversion": {newRecordedChecker(t).listFailureCauses(widgets, conversion), "conversion-webhook-down"},
		"another error":        {newRecordedChecker(t).listFailureCauses(widgets, errors.New("no")), ""},
	} {
		if got := strings.Join(test.got, " "); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Of a check the worst problem comes first, and of those the one that blocks most.
func TestProblemsAreSortedByImpact(t *testing.T) {
	object := func(name string) stuck.Object { return stuck.Object{Type: widgets, Namespace: "shop", Name: name} }
	all := []stuck.Problem{
		{Reason: "warning", State: stuck.Warning, Blocks: []stuck.Object{object("a"), object("b"), object("c")}},
		{Reason: "harmless", State: stuck.Unhealthy},
		{Reason: "twice", State: stuck.Unhealthy, Blocks: []stuck.Object{object("a"), object("a")}},
		{Reason: "most", State: stuck.Unhealthy, Blocks: []stuck.Object{object("a"), object("b")}},
	}
	sortByImpact(all)
	var order []string
	for _, p := range all {
		order = append(order, p.Reason)
	}
	if got := strings.Join(order, " "); got != "most twice harmless warning" {
		t.Errorf("the order is %s", got)
	}
}
