package health

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// endpointSliceType are the objects by which the API server finds the pods of a webhook.
var endpointSliceType = stuck.Type{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Kind: "EndpointSlice", Namespaced: true}

// riskProblems are the warnings for webhooks that work now, and stop controllers when they
// stop: those that are called for what the control plane writes, and those that are called for
// their own pods. It is incomplete where a namespace that a webhook selects by could not be read.
func (c *checker) riskProblems(g webhookGroup) (out []stuck.Problem, incomplete bool) {
	var onOwnPods []backend.Webhook
	risk := controlPlaneRisk{group: g}
	for _, h := range g.webhooks {
		incomplete = c.addControlPlaneWrites(&risk, h) || incomplete
		if c.isCalledForOwnPods(h) {
			onOwnPods = append(onOwnPods, h)
		}
	}
	if p, ok := risk.problem(); ok {
		out = append(out, p)
	}
	if len(onOwnPods) > 0 {
		out = append(out, ownPodsRisk(g, onOwnPods))
	}
	return out, incomplete
}

// isCalledForOwnPods reports whether a webhook rejects, while it is unreachable, the creation of
// the pods that would make it reachable. One that selects objects by their labels may leave
// them out.
func (c *checker) isCalledForOwnPods(h backend.Webhook) bool {
	if h.Service == nil || h.IgnoresFailure || !backend.SelectsAllObjects(h) {
		return false
	}
	pods, _ := backend.MatchesRequest(c.view, h, admissionv1.Create, stuck.Object{Type: cluster.PodType, Namespace: h.Service.Namespace})
	endpoints, _ := backend.MatchesRequest(c.view, h, admissionv1.Update, stuck.Object{Type: endpointSliceType, Namespace: h.Service.Namespace})
	return pods || endpoints
}

func webhookNames(hooks []backend.Webhook) string {
	var names []string
	for _, h := range hooks {
		names = append(names, h.Name)
	}
	return joinFirst(names)
}

func ownPodsRisk(g webhookGroup, hooks []backend.Webhook) stuck.Problem {
	first := hooks[0]
	return stuck.Problem{
		State: stuck.Warning, Reason: "webhook-called-for-own-pods", Subject: configurationSubject(first),
		Message:  fmt.Sprintf("%s is called for its own pods", g),
		Evidence: append([]string{fmt.Sprintf("%s: its backend %s is in a namespace that it is called for", webhookNames(hooks), stuck.RefInNamespace("service", first.Service.Name, first.Service.Namespace))}, calledFor(hooks)...),
		Impact:   []string{ownPodsImpact},
		Steps:    []stuck.Step{excludeStep(first, fmt.Sprintf("exclude namespace %s by a namespaceSelector", first.Service.Namespace))},
	}
}

// ownPodsImpact is why no restart ends the failure of a webhook that is called for its own pods.
const ownPodsImpact = "while none of its pods is ready, the API server rejects the creation of its pods or the update of its EndpointSlices, so a restart does not end the failure"

func configurationSubject(h backend.Webhook) stuck.Culprit {
	return stuck.Culprit{Kind: h.ConfigurationType.Kind, Name: h.ConfigurationName}
}

func excludeStep(h backend.Webhook, description string) stuck.Step {
	return stuck.Step{Action: stuck.ActionChange, Description: description, Command: stuck.Shellf("kubectl edit %s %s", strings.ToLower(h.ConfigurationType.Kind), h.ConfigurationName)}
}

// bypassFirst puts the steps by which the API server ignores webhooks before those that
// repair them, where they are called for their own pods.
func (c *checker) bypassFirst(problem *stuck.Problem, g webhookGroup) {
	if !slices.ContainsFunc(g.webhooks, c.isCalledForOwnPods) {
		problem.Steps = append(problem.Steps, bypassSteps(g)...)
		return
	}
	problem.Impact = append(problem.Impact, ownPodsImpact)
	bypass := bypassSteps(g)
	changes := slices.DeleteFunc(slices.Clone(bypass), func(s stuck.Step) bool { return s.Action == stuck.ActionDelete })
	deletions := slices.DeleteFunc(slices.Clone(bypass), func(s stuck.Step) bool { return s.Action != stuck.ActionDelete })
	problem.Steps = slices.Concat(changes, problem.Steps, deletions)
}
