package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkWebhooks looks at what the API server calls before it takes a write or
// answers a read. It calls none of it itself.
func checkWebhooks(ctx context.Context, e *examination, _ *types) stuck.CheckUp {
	out := stuck.CheckUp{}
	hooks := e.see.Webhooks()
	m, measured := e.see.Metrics()
	out.Incomplete = e.unsurveyed() || !hooks.Complete || !measured
	broken, unconverted := 0, 0
	for _, g := range groupHooks(e, hooks.Items) {
		ailments, ill := e.admissionAilments(g, m)
		out.Ailments = append(out.Ailments, ailments...)
		out.Incomplete = out.Incomplete || g.way.unseen
		if ill {
			broken += len(g.hooks)
		}
	}
	crds, err := e.server.Conversions(ctx)
	if err != nil {
		out.Incomplete = true
		if t, ok := e.see.Type(schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}); ok {
			e.see.Unlisted(t, "", err)
		}
	}
	for _, g := range groupConverters(e, crds) {
		ailments, ill := e.conversionAilments(g, m)
		out.Ailments = append(out.Ailments, ailments...)
		out.Incomplete = out.Incomplete || g.way.unseen
		if ill {
			unconverted += len(g.crds)
		}
	}
	out.Summary = share(broken, len(hooks.Items), "admission webhook", "cannot be called", hooks.Complete) + "; " +
		share(unconverted, len(crds), "conversion webhook", "cannot be called", err == nil) + "; none was tried"
	return out
}

// hookGroup are the webhooks of one configuration that are called in one way:
// they fail together.
type hookGroup struct {
	hooks []cluster.Webhook
	way   way
}

func groupHooks(e *examination, hooks []cluster.Webhook) []hookGroup {
	var out []hookGroup
	for _, h := range hooks {
		if len(h.Rules) == 0 {
			continue // which is never called
		}
		same := func(g hookGroup) bool {
			first := g.hooks[0]
			return first.Configuration == h.Configuration && first.Ignored == h.Ignored && first.URL == h.URL &&
				(first.Service == nil) == (h.Service == nil) && (h.Service == nil || *first.Service == *h.Service) &&
				slices.Equal(first.CABundle, h.CABundle)
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].hooks = append(out[i].hooks, h)
			continue
		}
		out = append(out, hookGroup{hooks: []cluster.Webhook{h}, way: e.wayTo(h.Service, h.CABundle)})
	}
	return out
}

func (g hookGroup) String() string {
	var names []string
	for _, h := range g.hooks {
		names = append(names, h.Name)
	}
	noun := "webhook "
	if len(names) > 1 {
		noun = "webhooks "
	}
	return noun + few(names) + " of " + g.hooks[0].Configuration
}

// admissionAilments are what is wrong with some admission webhooks, and whether
// they cannot be called.
func (e *examination) admissionAilments(g hookGroup, m cluster.Metrics) ([]stuck.Ailment, bool) {
	first := g.hooks[0]
	a := stuck.Ailment{
		State: stuck.Doubtful, Reason: "webhook-unreachable", Subject: stuck.Culprit{Kind: first.Type.Kind, Name: first.Holder}, Evidence: g.way.blocked,
		Fix: owner.ReviveWebhook(e.see, first, g.way.distrusts || !g.way.ends.IsZero()),
	}
	counted, often := e.failedCalls(g, m)
	switch {
	case len(g.way.blocked) > 0:
		e.blockedHooks(&a, g)
		a.Evidence = append(a.Evidence, counted...)
		return []stuck.Ailment{a}, true
	case !g.way.ends.IsZero():
		a.Reason = "webhook-certificate-ends"
		a.Summary = fmt.Sprintf("the caBundle of %s ends in %s", g, duration.HumanDuration(g.way.ends.Sub(e.see.Now())))
		a.Evidence = slices.Concat(owner.TrustIn(e.see, first.CABundle).Says, counted)
		a.Hurts = []string{"from then on the API server cannot call it" + consequence(first)}
		return []stuck.Ailment{a}, false
	case often:
		a.Reason = "webhook-often-failed"
		a.Summary = fmt.Sprintf("%s could often not be called", g)
		a.Evidence = counted
		a.Hurts = []string{"whether it still fails is not known from a count" + consequence(first)}
		return []stuck.Ailment{a}, false
	}
	return nil, false
}

// consequence is what it means if a webhook cannot be called.
func consequence(h cluster.Webhook) string {
	if h.Ignored {
		return "; writes go on without it (failurePolicy Ignore)"
	}
	return "; each write that it should be shown is refused (failurePolicy Fail)"
}

// failedCalls is what the API server counts of webhooks by their names, which
// those of several configurations may share.
func (e *examination) failedCalls(g hookGroup, m cluster.Metrics) (says []string, often bool) {
	up := e.see.Now().Sub(m.Started)
	for _, h := range g.hooks {
		calls := m.Hooks[cluster.HookName{Name: h.Name, Mutating: strings.HasPrefix(h.Type.Kind, "Mutating")}]
		if calls == (cluster.HookCalls{}) || m.Started.IsZero() {
			continue
		}
		often = often || many(calls.Refused+calls.Ignored, up)
		says = append(says, fmt.Sprintf("since the API server started %s ago, calls of %s failed %s: %s refused, %d let through",
			duration.HumanDuration(up), h.Name, times(calls.Refused+calls.Ignored), writes(calls.Refused), calls.Ignored))
	}
	return says, often
}

func writes(n int) string { return counted(n, "write") }

// blockedHooks says what it means that webhooks cannot be called.
func (e *examination) blockedHooks(a *stuck.Ailment, g hookGroup) {
	first := g.hooks[0]
	a.Summary = fmt.Sprintf("%s cannot be called", g)
	for _, h := range g.hooks {
		a.Evidence = append(a.Evidence, fmt.Sprintf("%s is shown %s", h.Name, shownOf(h)))
	}
	if slowest := slices.MaxFunc(g.hooks, func(a, b cluster.Webhook) int { return cmp.Compare(a.TimeoutSeconds, b.TimeoutSeconds) }).TimeoutSeconds; slowest > 10 {
		a.Evidence = append(a.Evidence, fmt.Sprintf("a write may wait %ds for it (timeoutSeconds)", slowest))
	}
	if first.Ignored {
		a.Hurts = []string{"writes go on without it (failurePolicy Ignore), so what it should check or fill in is not checked or filled in"}
		return
	}
	a.State = stuck.Ill
	a.Hurts = []string{"each write that it should be shown is refused (failurePolicy Fail), those of controllers too"}
	blocked, all := e.blockedBy(g.hooks)
	if len(blocked) > 0 {
		a.Hurts = append(a.Hurts, fmt.Sprintf("no finalizer can be taken off %s being deleted: %s", counted(len(blocked), "object"), names(blocked)))
	}
	if !all {
		a.Hurts = append(a.Hurts, "which objects being deleted it holds further is not known: it chooses by labels or by expressions")
	}
	a.Fix = append(a.Fix, withoutAll(g.hooks)...)
}

// withoutAll is how the API server does without the webhooks of a group.
func withoutAll(hooks []cluster.Webhook) []stuck.Step {
	var out []stuck.Step
	for i, h := range hooks {
		switch steps := owner.WithoutWebhook(h); i {
		case 0:
			out = steps
		default:
			out = slices.Insert(out, len(out)-1, stuck.Step{What: "and without " + h.Name, Command: steps[0].Command})
		}
	}
	return out
}

// shownOf is what the rules of a webhook ask for.
func shownOf(h cluster.Webhook) string {
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
		parts = append(parts, strings.Join(operations, ", ")+" of "+few(resources))
	}
	return strings.Join(parts, "; ")
}

// mostAsked is how many objects are read to see whether a webhook chooses them.
const mostAsked = 100

// blockedBy are the objects past their deletion whose updates would be shown to
// the webhooks, and whether that is known of all objects.
func (e *examination) blockedBy(hooks []cluster.Webhook) (out []stuck.Object, all bool) {
	all = true
	asked := 0
	for _, o := range e.waitingFor(func(stuck.Object, string) bool { return true }) {
		if slices.ContainsFunc(hooks, func(h cluster.Webhook) bool {
			if !owner.SelectsAll(h) {
				if asked++; asked > mostAsked || len(h.Conditions) > 0 {
					all = false
					return false
				}
			}
			return owner.Shown(e.see, h, o)
		}) {
			out = append(out, o)
		}
	}
	return out, all
}
