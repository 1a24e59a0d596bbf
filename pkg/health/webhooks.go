package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkWebhooks looks at what the API server calls before it takes a write or
// answers a read. It calls none of it itself.
func checkWebhooks(ctx context.Context, c *checker, _ *typeResults) stuck.Check {
	out := stuck.Check{}
	hooks := backend.Webhooks(c.view)
	m, measured := c.view.Metrics()
	out.Incomplete = c.recordScanGaps() || !hooks.Complete || !measured
	broken, unconverted := 0, 0
	for _, g := range groupWebhooks(c, hooks.Items) {
		problems, unhealthy := c.admissionProblems(g, m)
		out.Problems = append(out.Problems, problems...)
		out.Incomplete = out.Incomplete || g.endpoint.incomplete
		if unhealthy {
			broken += len(g.webhooks)
		}
	}
	crds, err := c.server.ConversionWebhookCRDs(ctx)
	if err != nil {
		out.Incomplete = true
		if t, ok := c.view.TypeForKind(schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}); ok {
			c.view.AddListGap(t, "", err)
		}
	}
	for _, g := range groupConversions(c, crds) {
		problems, unhealthy := c.conversionProblems(g, m)
		out.Problems = append(out.Problems, problems...)
		out.Incomplete = out.Incomplete || g.endpoint.incomplete
		if unhealthy {
			unconverted += len(g.crds)
		}
	}
	out.Summary = countSummary(broken, len(hooks.Items), "admission webhook", "cannot be called", hooks.Complete) + "; " +
		countSummary(unconverted, len(crds), "conversion webhook", "cannot be called", err == nil) + "; none was tried"
	return out
}

// webhookGroup are the webhooks of one configuration that are called in one way:
// they fail together.
type webhookGroup struct {
	webhooks []backend.Webhook
	endpoint endpoint
}

func groupWebhooks(c *checker, hooks []backend.Webhook) []webhookGroup {
	var out []webhookGroup
	for _, h := range hooks {
		if len(h.Rules) == 0 {
			continue // which is never called
		}
		same := func(g webhookGroup) bool {
			first := g.webhooks[0]
			return first.ConfigurationRef == h.ConfigurationRef && first.IgnoresFailure == h.IgnoresFailure && first.URL == h.URL &&
				(first.Service == nil) == (h.Service == nil) && (h.Service == nil || *first.Service == *h.Service) &&
				slices.Equal(first.CABundle, h.CABundle)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].webhooks = append(out[i].webhooks, h)
			continue
		}
		out = append(out, webhookGroup{webhooks: []backend.Webhook{h}, endpoint: c.endpointOf(h.Service, h.CABundle)})
	}
	return out
}

func (g webhookGroup) String() string {
	var names []string
	for _, h := range g.webhooks {
		names = append(names, h.Name)
	}
	noun := "webhook "
	if len(names) > 1 {
		noun = "webhooks "
	}
	return noun + joinFirst(names) + " of " + g.webhooks[0].ConfigurationRef
}

// admissionProblems are what is wrong with some admission webhooks, and whether
// they cannot be called.
func (c *checker) admissionProblems(g webhookGroup, m cluster.Metrics) ([]stuck.Problem, bool) {
	first := g.webhooks[0]
	a := stuck.Problem{
		State: stuck.Warning, Reason: "webhook-unreachable", Subject: stuck.Culprit{Kind: first.ConfigurationType.Kind, Name: first.ConfigurationName}, Evidence: g.endpoint.problems,
		Steps: c.webhookRepairSteps(g),
	}
	failures, failsOften := c.failedCalls(g, m)
	switch {
	case len(g.endpoint.problems) > 0:
		c.describeUnreachable(&a, g)
		a.Evidence = append(a.Evidence, failures...)
		return []stuck.Problem{a}, true
	case !g.endpoint.expires.IsZero():
		a.Reason = "webhook-certificate-ends"
		a.Summary = fmt.Sprintf("the caBundle of %s ends in %s", g, duration.HumanDuration(g.endpoint.expires.Sub(c.view.Now())))
		a.Evidence = slices.Concat(backend.ReadCABundle(c.view, first.CABundle).Evidence, failures)
		a.Impact = []string{"from then on the API server cannot call it" + failurePolicyNote(first)}
		return []stuck.Problem{a}, false
	case failsOften:
		a.Reason = "webhook-often-failed"
		a.Summary = fmt.Sprintf("%s could often not be called", g)
		a.Evidence = failures
		a.Impact = []string{"whether it still fails is not known from a count" + failurePolicyNote(first)}
		return []stuck.Problem{a}, false
	}
	return nil, false
}

// failurePolicyNote is what it means if a webhook cannot be called.
func failurePolicyNote(h backend.Webhook) string {
	if h.IgnoresFailure {
		return "; writes go on without it (failurePolicy Ignore)"
	}
	return "; each write that it should be shown is refused (failurePolicy Fail)"
}

// failedCalls is what the API server counts of webhooks by their names, which
// those of several configurations may share.
func (c *checker) failedCalls(g webhookGroup, m cluster.Metrics) (evidence []string, failsOften bool) {
	up := c.view.Now().Sub(m.Started)
	for _, h := range g.webhooks {
		calls := m.WebhookFailures[cluster.WebhookKey{Name: h.Name, Mutating: strings.HasPrefix(h.ConfigurationType.Kind, "Mutating")}]
		if calls == (cluster.WebhookFailures{}) || m.Started.IsZero() {
			continue
		}
		failsOften = failsOften || exceedsHourly(calls.Rejected+calls.Ignored, up)
		evidence = append(evidence, fmt.Sprintf("since the API server started %s ago, calls of %s failed %s: %s refused, %d let through",
			duration.HumanDuration(up), h.Name, countTimes(calls.Rejected+calls.Ignored), countWrites(calls.Rejected), calls.Ignored))
	}
	return evidence, failsOften
}

func countWrites(n int) string { return stuck.Count(n, "write") }

// describeUnreachable says what it means that webhooks cannot be called.
func (c *checker) describeUnreachable(a *stuck.Problem, g webhookGroup) {
	first := g.webhooks[0]
	a.Summary = fmt.Sprintf("%s cannot be called", g)
	for _, h := range g.webhooks {
		a.Evidence = append(a.Evidence, fmt.Sprintf("%s is shown %s", h.Name, rulesText(h)))
	}
	if slowest := slices.MaxFunc(g.webhooks, func(a, b backend.Webhook) int { return cmp.Compare(a.TimeoutSeconds, b.TimeoutSeconds) }).TimeoutSeconds; slowest > 10 {
		a.Evidence = append(a.Evidence, fmt.Sprintf("a write may wait %ds for it (timeoutSeconds)", slowest))
	}
	if first.IgnoresFailure {
		a.Impact = []string{"writes go on without it (failurePolicy Ignore), so what it should check or fill in is not checked or filled in"}
		return
	}
	a.State = stuck.Unhealthy
	a.Impact = []string{"each write that it should be shown is refused (failurePolicy Fail), those of controllers too"}
	if namespaces := c.blockedDeletions(g.webhooks); len(namespaces) > 0 {
		a.Impact = append(a.Impact, fmt.Sprintf("objects cannot be deleted, and %s cannot finish: %s", stuck.Count(len(namespaces), "namespace"), joinFirst(namespaces)))
	}
	blocked, all := c.rejectedObjects(g.webhooks)
	if len(blocked) > 0 {
		a.Impact = append(a.Impact, fmt.Sprintf("no finalizer can be taken off %s being deleted: %s", stuck.Count(len(blocked), "object"), joinObjects(blocked)))
	}
	if !all {
		a.Impact = append(a.Impact, "which objects being deleted it holds further is not known: it chooses by labels or by expressions")
	}
	a.Steps = append(a.Steps, bypassSteps(g.webhooks)...)
}

// bypassSteps is how the API server does without the webhooks of a group.
func bypassSteps(hooks []backend.Webhook) []stuck.Step {
	var out []stuck.Step
	for i, h := range hooks {
		switch steps := backend.WebhookBypassSteps(h); i {
		case 0:
			out = steps
		default:
			out = slices.Insert(out, len(out)-1, stuck.Step{Action: stuck.ActionChange, Description: "and without " + h.Name, Command: steps[0].Command})
		}
	}
	return out
}

// rulesText is what the rules of a webhook ask for.
func rulesText(h backend.Webhook) string {
	var parts []string
	for _, r := range h.Rules {
		var operations, resources []string
		for _, o := range r.Operations {
			operations = append(operations, string(o))
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				resources = append(resources, schema.GroupResource{Group: group, Resource: resource}.String())
			}
		}
		parts = append(parts, strings.Join(operations, ", ")+" of "+joinFirst(resources))
	}
	return strings.Join(parts, "; ")
}

// maxSelectorReads is how many objects are read to see whether a webhook chooses them.
const maxSelectorReads = 100

// rejectedObjects are the objects past their deletion whose updates would be shown to
// the webhooks, and whether that is known of all objects.
func (c *checker) rejectedObjects(hooks []backend.Webhook) (out []stuck.Object, all bool) {
	all = true
	asked := 0
	for _, o := range c.stuckObjects(func(stuck.Object, string) bool { return true }) {
		if slices.ContainsFunc(hooks, func(h backend.Webhook) bool {
			if !backend.SelectsAllObjects(h) {
				if asked++; asked > maxSelectorReads || len(h.MatchConditions) > 0 {
					all = false
					return false
				}
			}
			return backend.MatchesUpdate(c.view, h, o)
		}) {
			out = append(out, o)
		}
	}
	return out, all
}
