package health

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// newWebhook is a webhook for updates of widgets.
func newWebhook(name string, changes ...func(*backend.Webhook)) backend.Webhook {
	h := backend.Webhook{
		ConfigurationType: stuck.Type{Kind: "ValidatingWebhookConfiguration"}, ConfigurationRef: "validatingwebhookconfiguration/policy", ConfigurationName: "policy", Name: name,
		TimeoutSeconds: 10, Service: &cluster.ServiceReference{Namespace: "ops", Name: "gone"},
		Rules: []admissionv1.RuleWithOperations{{
			Operations: []admissionv1.OperationType{admissionv1.Update}, Rule: admissionv1.Rule{APIGroups: []string{"example.com"}, Resources: []string{"widgets"}},
		}},
	}
	for _, change := range changes {
		change(&h)
	}
	return h
}

func TestAdmissionWebhooks(t *testing.T) {
	ignored := func(h *backend.Webhook) { h.IgnoresFailure = true }
	elsewhere := func(h *backend.Webhook) { h.Service, h.URL = nil, "https://hooks.example.com/" }
	personal := func(h *backend.Webhook) { h.MatchConditions = []string{"request.name == 'w1'"} }
	mutating := func(h *backend.Webhook) {
		h.ConfigurationType.Kind, h.ConfigurationRef = "MutatingWebhookConfiguration", "mutatingwebhookconfiguration/policy"
	}
	unruly := func(h *backend.Webhook) { h.Rules = nil }
	failed := func(n int) cluster.Metrics {
		return cluster.Metrics{Started: now.Add(-time.Hour), WebhookFailures: map[cluster.WebhookKey]cluster.WebhookFailures{{Name: "a"}: {Rejected: n}}}
	}
	for name, test := range map[string]struct {
		hooks []backend.Webhook
		m     cluster.Metrics
		state stuck.State
		// says are words of the one problem, fixes how many steps it has.
		says  []string
		fixes int
	}{
		"its service is missing": {hooks: []backend.Webhook{newWebhook("a")}, state: stuck.Unhealthy, says: []string{"does not exist", "blocks widget.example.com/w1 -n shop"}, fixes: 4},
		"it may be ignored":      {hooks: []backend.Webhook{newWebhook("a", ignored)}, state: stuck.Warning, says: []string{"writes succeed without validation"}, fixes: 2},
		"two that fail as one":   {hooks: []backend.Webhook{newWebhook("a"), newWebhook("b")}, state: stuck.Unhealthy, says: []string{"2 webhooks of validatingwebhookconfiguration/policy", "a, b: called for", "ignore failures of 2 webhooks", `{"name":"a","failurePolicy":"Ignore"},{"name":"b","failurePolicy":"Ignore"}`}, fixes: 4},
		"two configurations":     {hooks: []backend.Webhook{newWebhook("a"), newWebhook("b", mutating)}, state: stuck.Unhealthy, says: []string{"2 webhooks of validatingwebhookconfiguration/policy, mutatingwebhookconfiguration/policy"}, fixes: 6},
		"it has conditions":      {hooks: []backend.Webhook{newWebhook("a", personal)}, state: stuck.Unhealthy, says: []string{"is not known"}, fixes: 4},
		"it has no rules":        {hooks: []backend.Webhook{newWebhook("a", unruly)}},
		"it is elsewhere":        {hooks: []backend.Webhook{newWebhook("a", elsewhere)}},
		"it failed now and then": {hooks: []backend.Webhook{newWebhook("a", elsewhere)}, m: failed(5)},
		"it failed often":        {hooks: []backend.Webhook{newWebhook("a", elsewhere)}, m: failed(500), state: stuck.Warning, says: []string{"calls of a failed 500 times"}, fixes: 1},
		"another of that name":   {hooks: []backend.Webhook{newWebhook("b", elsewhere)}, m: failed(500)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newRecordedChecker(t, recording.Answer{Question: "get services/gone in ops", Error: &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}},
				recording.Answer{Question: "get namespaces/ops", Objects: []map[string]any{{"metadata": map[string]any{"name": "ops"}}}})
			c.snapshot.deleting = []stuck.Object{{Type: widgets, Namespace: "shop", Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/hold"}}}
			var got []stuck.Problem
			for _, g := range groupWebhooks(c, test.hooks) {
				problems, _ := c.admissionProblems(g, test.m)
				got = append(got, problems...)
			}
			if test.state == "" {
				if len(got) > 0 {
					t.Errorf("there is a problem: %+v", got)
				}
				return
			}
			if len(got) != 1 || got[0].State != test.state || len(got[0].Steps) != test.fixes {
				t.Fatalf("it is no %s with %d steps: %+v", test.state, test.fixes, got)
			}
			text := strings.Join(append(append([]string{got[0].Message}, got[0].Evidence...), got[0].Impact...), "\n")
			for _, o := range got[0].Blocks {
				text += "\nblocks " + o.RefInNamespace()
			}
			for _, step := range got[0].Steps {
				text += "\n" + step.Description + "\n" + step.Command
			}
			for _, words := range test.says {
				if !strings.Contains(text, words) {
					t.Errorf("nothing says %q:\n%s", words, text)
				}
			}
		})
	}
}

// With TYPE arguments a webhook or APIService that has nothing to do with these types is
// left out.
func TestChecksOfTypes(t *testing.T) {
	all := func(h *backend.Webhook) { h.Rules[0].APIGroups, h.Rules[0].Resources = []string{"*"}, []string{"*/*"} }
	for name, test := range map[string]struct {
		types                           []stuck.Type
		webhook, wildcard, group, other bool
	}{
		"all types":  {[]stuck.Type{pods, widgets}, true, true, true, true},
		"its type":   {[]stuck.Type{widgets}, true, true, true, false},
		"other type": {[]stuck.Type{pods}, false, true, false, false},
		"namespaces": {[]stuck.Type{{Version: "v1", Resource: "namespaces"}}, false, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := &checker{Options: Options{Types: test.types, Served: []stuck.Type{pods, widgets}}}
			if test.types[0].Resource == "namespaces" {
				c.Served = append(c.Served, test.types[0])
				c.Served[2].Listable = true
			}
			got := []bool{c.includesWebhook(newWebhook("a")), c.includesWebhook(newWebhook("a", all)), c.includesGroup("example.com"), c.includesGroup("other.example.com")}
			if want := []bool{test.webhook, test.wildcard, test.group, test.other}; !slices.Equal(got, want) {
				t.Errorf("included are %v, want %v", got, want)
			}
		})
	}
}

// Many webhooks with one reason are one problem, with one patch for all of a configuration.
func TestManyWebhooksAreOneProblem(t *testing.T) {
	c := newRecordedChecker(t, recording.Answer{Question: "get services/gone in ops", Error: &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}},
		recording.Answer{Question: "get namespaces/ops", Objects: []map[string]any{{"metadata": map[string]any{"name": "ops"}}}})
	m := cluster.Metrics{Started: now.Add(-time.Hour), WebhookFailures: map[cluster.WebhookKey]cluster.WebhookFailures{}}
	var hooks []backend.Webhook
	for i := range 21 {
		name := fmt.Sprintf("hook-%d", i)
		m.WebhookFailures[cluster.WebhookKey{Name: name}] = cluster.WebhookFailures{Rejected: 1}
		hooks = append(hooks, newWebhook(name, func(h *backend.Webhook) { h.Rules[0].Resources = []string{fmt.Sprintf("things%d", i)} }))
	}
	groups := groupWebhooks(c, hooks)
	if len(groups) != 1 {
		t.Fatalf("21 webhooks are %d problems", len(groups))
	}
	problems, _ := c.admissionProblems(groups[0], m)
	if p := problems[0]; len(p.Steps) != 4 || len(p.Evidence) > 15 || !strings.Contains(p.Steps[2].Command, `{"name":"hook-20","failurePolicy":"Ignore"}`) {
		t.Errorf("the problem of 21 webhooks has %d steps and %d lines of evidence: %+v", len(p.Steps), len(p.Evidence), p)
	}
}
