package health

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// webhookGroup are the webhooks that are called in one way: they fail together, for one
// reason.
type webhookGroup struct {
	webhooks []backend.Webhook
	endpoint endpoint
}

func groupWebhooks(c *checker, hooks []backend.Webhook) []webhookGroup {
	var out []webhookGroup
	for _, h := range hooks {
		if len(h.Rules) == 0 {
			continue // it is never called
		}
		same := func(g webhookGroup) bool {
			first := g.webhooks[0]
			return (h.Service != nil || first.ConfigurationRef == h.ConfigurationRef) && first.IgnoresFailure == h.IgnoresFailure && first.URL == h.URL &&
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

// configurations are the webhooks by their configuration.
func (g webhookGroup) configurations() [][]backend.Webhook {
	return stuck.GroupBy(g.webhooks, func(h backend.Webhook) string { return h.ConfigurationRef })
}

// String names the configurations, and their number of webhooks.
func (g webhookGroup) String() string {
	var refs []string
	for _, hooks := range g.configurations() {
		refs = append(refs, hooks[0].ConfigurationRef)
	}
	if len(g.webhooks) == 1 {
		return fmt.Sprintf("webhook %s of %s", g.webhooks[0].Name, refs[0])
	}
	return stuck.Count(len(g.webhooks), "webhook") + " of " + joinFirst(refs)
}

// calledFor says which requests webhooks are called for, those of one rule together.
func calledFor(hooks []backend.Webhook) []string {
	var lines []string
	for _, group := range stuck.GroupBy(hooks, rulesText) {
		var names []string
		for _, h := range group {
			names = append(names, h.Name)
		}
		lines = append(lines, fmt.Sprintf("%s: called for %s", joinFirst(names), rulesText(group[0])))
	}
	return firstLines(lines)
}

// firstLines are the first lines of evidence about many webhooks.
func firstLines(lines []string) []string {
	const most = 5
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most:most], fmt.Sprintf("and %s of this kind about other webhooks", stuck.Count(len(lines)-most, "more line")))
}

// bypassSteps are the steps by which the API server ignores the webhooks of a group: one
// patch for each configuration, and one deletion.
func bypassSteps(g webhookGroup) []stuck.Step {
	var changes, deletions []stuck.Step
	for _, hooks := range g.configurations() {
		steps := backend.WebhookBypassSteps(hooks[0])
		change, deletion := steps[0], steps[len(steps)-1]
		if len(hooks) > 1 {
			change.Description = fmt.Sprintf("until then, ignore failures of %s of %s (their validation and defaulting are skipped)", stuck.Count(len(hooks), "webhook"), hooks[0].ConfigurationRef)
			change.Command = ignoreFailuresCommand(hooks)
		}
		changes, deletions = append(changes, change), append(deletions, deletion)
	}
	return slices.Concat(changes, deletions)
}

// ignoreFailuresCommand is one patch that sets failurePolicy Ignore for webhooks of one
// configuration. A strategic merge patch finds each by its name.
func ignoreFailuresCommand(hooks []backend.Webhook) string {
	first := hooks[0]
	type change struct {
		Name          string `json:"name"`
		FailurePolicy string `json:"failurePolicy"`
	}
	var patch struct {
		Webhooks []change `json:"webhooks"`
	}
	for _, h := range hooks {
		patch.Webhooks = append(patch.Webhooks, change{h.Name, string(admissionregistrationv1.Ignore)})
	}
	encoded, err := json.Marshal(patch)
	if err != nil {
		return "" // strings always marshal
	}
	return stuck.Shellf("kubectl patch %s %s -p %s", strings.ToLower(first.ConfigurationType.Kind), first.ConfigurationName, string(encoded))
}

// rulesText are the requests that the rules of a webhook name.
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

// maxSelectorReads is how many objects are read to see whether a webhook selects them.
const maxSelectorReads = 100
