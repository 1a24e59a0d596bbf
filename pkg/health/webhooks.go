package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkWebhooks checks the webhooks that the API server calls when it writes and converts
// objects. It calls none of them.
func checkWebhooks(ctx context.Context, c *checker, _ *typeResults) stuck.Check {
	out := stuck.Check{}
	hooks := backend.Webhooks(c.view)
	m, measured := c.view.Metrics()
	out.Incomplete = c.recordScanGaps() || !hooks.Complete || !measured
	static, details := c.staticAdmission(m, hooks)
	policies, policiesRead := c.policyDetails()
	out.Problems, out.Incomplete = append(out.Problems, static...), out.Incomplete || !policiesRead
	hooks.Items = slices.DeleteFunc(slices.Clone(hooks.Items), func(h backend.Webhook) bool { return !c.includesWebhook(h) })
	broken, unconverted := 0, 0
	for _, g := range groupWebhooks(c, hooks.Items) {
		problems, unhealthy := c.admissionProblems(g, m)
		out.Problems = append(out.Problems, problems...)
		out.Incomplete = out.Incomplete || g.endpoint.incomplete
		if unhealthy {
			broken += len(g.webhooks)
		} else {
			risks, unread := c.riskProblems(g)
			out.Problems, out.Incomplete = append(out.Problems, risks...), out.Incomplete || unread
		}
	}
	crds, err := c.conversionCRDs(ctx)
	out.Incomplete = out.Incomplete || err != nil
	for _, g := range groupConversions(c, crds) {
		problems, unhealthy := c.conversionProblems(g, m)
		out.Problems = append(out.Problems, problems...)
		out.Incomplete = out.Incomplete || g.endpoint.incomplete
		if unhealthy {
			unconverted += len(g.crds)
		}
	}
	out.Summary = fmt.Sprintf("%d of %d admission and %d of %d conversion webhooks unreachable", broken, len(hooks.Items), unconverted, len(crds))
	if !hooks.Complete && len(hooks.Items) == 0 || err != nil {
		out.Summary = countSummary(broken, len(hooks.Items), "admission webhook", "unreachable", hooks.Complete) + "; " +
			countSummary(unconverted, len(crds), "conversion webhook", "unreachable", err == nil)
	}
	certificates, unread := c.certificateProblems(webhookCertificateUsers(hooks.Items, crds))
	out.Problems, out.Incomplete = append(out.Problems, certificates...), out.Incomplete || unread
	out.Details = slices.Concat([]string{"no webhook was called, so the certificates that they present were not read"}, details, policies)
	return out
}

// conversionCRDs are the CRDs with a conversion webhook that the checks are about.
func (c *checker) conversionCRDs(ctx context.Context) ([]cluster.CRD, error) {
	crds, err := c.server.ConversionWebhookCRDs(ctx)
	if err != nil {
		if t, ok := c.view.TypeForKind(schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}); ok {
			c.view.AddListGap(t, "", err)
		}
	}
	return slices.DeleteFunc(crds, func(crd cluster.CRD) bool { return !c.includesType(crd.Spec.Group, crd.Spec.Names.Plural) }), err
}

// admissionProblems are the problems of some admission webhooks, and whether they are
// unreachable.
func (c *checker) admissionProblems(g webhookGroup, m cluster.Metrics) ([]stuck.Problem, bool) {
	first := g.webhooks[0]
	problem := stuck.Problem{
		State: stuck.Warning, Reason: "webhook-unreachable", Subject: stuck.Culprit{Kind: first.ConfigurationType.Kind, Name: first.ConfigurationName}, Evidence: g.endpoint.problems,
		Steps: c.webhookRepairSteps(g),
	}
	failures, failsOften := c.failedCalls(g, m)
	switch {
	case len(g.endpoint.problems) > 0:
		c.describeUnreachable(&problem, g)
		problem.Evidence = append(problem.Evidence, failures...)
		return []stuck.Problem{problem}, true
	case !g.endpoint.expires.IsZero():
		problem.Reason = "webhook-certificate-ends"
		problem.Message = fmt.Sprintf("the caBundle of %s expires in %s", g, duration.HumanDuration(g.endpoint.expires.Sub(c.view.Now())))
		problem.Evidence = slices.Concat(backend.ReadCABundle(c.view, first.CABundle).Evidence, failures)
		problem.Impact = []string{"after that the API server cannot call it" + failurePolicyNote(first)}
		return []stuck.Problem{problem}, false
	case failsOften:
		problem.Reason = "webhook-often-failed"
		problem.Message = fmt.Sprintf("calls of %s often failed", g)
		problem.Evidence = failures
		problem.Impact = []string{"the count does not say whether calls fail now" + failurePolicyNote(first)}
		return []stuck.Problem{problem}, false
	}
	return nil, false
}

// failurePolicyNote says what happens when a webhook cannot be called.
func failurePolicyNote(h backend.Webhook) string {
	if h.IgnoresFailure {
		return "; writes then succeed without it (failurePolicy Ignore)"
	}
	return "; each write that it is called for is then rejected (failurePolicy Fail)"
}

// failedCalls is how often calls of webhooks failed, by the metrics of the API server.
// Those count by name, which webhooks of several configurations may share.
func (c *checker) failedCalls(g webhookGroup, m cluster.Metrics) (evidence []string, failsOften bool) {
	up := c.view.Now().Sub(m.Started)
	for _, h := range g.webhooks {
		calls := m.WebhookFailures[cluster.WebhookKey{Name: h.Name, Mutating: strings.HasPrefix(h.ConfigurationType.Kind, "Mutating")}]
		if calls == (cluster.WebhookFailures{}) || m.Started.IsZero() {
			continue
		}
		failsOften = failsOften || exceedsHourly(calls.Rejected+calls.Ignored, up)
		evidence = append(evidence, fmt.Sprintf("since the API server started %s ago, calls of %s failed %s: %s rejected, %d allowed",
			duration.HumanDuration(up), h.Name, countTimes(calls.Rejected+calls.Ignored), countWrites(calls.Rejected), calls.Ignored))
	}
	return firstLines(evidence), failsOften
}

func countWrites(n int) string { return stuck.Count(n, "write") }

// describeUnreachable says what is not possible while webhooks are unreachable.
func (c *checker) describeUnreachable(problem *stuck.Problem, g webhookGroup) {
	first := g.webhooks[0]
	problem.Message = fmt.Sprintf("%s cannot be called", g)
	problem.Evidence = append(problem.Evidence, calledFor(g.webhooks)...)
	if slowest := slices.MaxFunc(g.webhooks, func(a, b backend.Webhook) int { return cmp.Compare(a.TimeoutSeconds, b.TimeoutSeconds) }); slowest.TimeoutSeconds > 10 {
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("a write may wait %ds for %s (timeoutSeconds)", slowest.TimeoutSeconds, slowest.Name))
	}
	if first.IgnoresFailure {
		problem.Impact = []string{"failurePolicy is Ignore: writes succeed without validation or defaulting by this webhook"}
		return
	}
	problem.State = stuck.Unhealthy
	problem.Impact = []string{"failurePolicy is Fail: each such write is rejected, those of controllers too"}
	namespaces := c.blockedDeletions(g.webhooks)
	problem.Impact = append(problem.Impact, c.undeletedImpact(namespaces, g.webhooks)...)
	rejected, all := c.rejectedObjects(g.webhooks)
	problem.Blocks = slices.Concat(namespaces, c.snapshot.withNamespaces(rejected))
	if len(rejected) > 0 {
		problem.Causes = append(problem.Causes, cause.WriteWebhookDown.ID)
	}
	if len(namespaces) > 0 {
		problem.Causes = append(problem.Causes, cause.DeleteWebhookDown.ID)
	}
	if !all {
		problem.Impact = append(problem.Impact, "it may block more deletions: which objects it selects by labels or matchConditions is not known")
	}
	c.bypassFirst(problem, g)
}

// includesWebhook reports whether a webhook is called for a type that the checks are about.
func (c *checker) includesWebhook(h backend.Webhook) bool {
	if !c.isLimited() {
		return true
	}
	names := func(all []string, name string) bool {
		return slices.Contains(all, name) || slices.Contains(all, "*") || slices.Contains(all, "*/*")
	}
	return slices.ContainsFunc(c.Types, func(t stuck.Type) bool {
		return slices.ContainsFunc(h.Rules, func(r admissionv1.RuleWithOperations) bool {
			return names(r.APIGroups, t.Group) && names(r.Resources, t.Resource)
		})
	})
}

// rejectedObjects are the stuck objects with finalizers whose updates the webhooks are
// called for, and whether that is known of all objects.
func (c *checker) rejectedObjects(hooks []backend.Webhook) (out []stuck.Object, all bool) {
	all = true
	asked := 0
	for _, o := range c.stuckWithFinalizer(func(stuck.Object, string) bool { return true }) {
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
