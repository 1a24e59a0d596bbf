package health

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// isTerminating reports whether a namespace is being deleted, so that nothing can be
// created in it.
func (c *checker) isTerminating(namespace string) bool {
	ns := c.view.Namespace(namespace)
	return ns.Found() && ns.Value.DeletionTimestamp != nil
}

// backendProblems is what is wrong with a Service that the API server calls, and
// whether it can be recreated in its namespace.
func (c *checker) backendProblems(ref cluster.ServiceReference) []string {
	problems := backend.ServiceProblems(c.view, ref)
	if len(problems) > 0 && c.isTerminating(ref.Namespace) {
		problems = append(problems, fmt.Sprintf("namespace %s is being deleted (Terminating), so nothing can be created in it", ref.Namespace))
	}
	return problems
}

// backendRepairSteps are the steps that make a Service respond again which the API server
// calls. None of them deletes anything: where no repair is known the step is a check.
func (c *checker) backendRepairSteps(ref cluster.ServiceReference, showStep stuck.Step) []stuck.Step {
	service := stuck.RefInNamespace("service", ref.Name, ref.Namespace)
	switch ns := c.view.Namespace(ref.Namespace); {
	case ns.Absent():
		return []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("is the software of %s still needed? Then reinstall it, in the same version (namespace %s does not exist)", service, ref.Namespace)}}
	case c.isTerminating(ref.Namespace):
		return []stuck.Step{{
			Action:      stuck.ActionCheck,
			Description: fmt.Sprintf("is the software of %s still needed? Then reinstall it in another namespace, or in this one after it is deleted; what blocks that:", service),
			Command:     stuck.Shellf("kubectl finalizers explain %s", "namespace/"+ref.Namespace),
		}}
	}
	if steps := backend.ServiceRepairSteps(c.view, ref); len(steps) > 0 {
		return steps
	}
	return []stuck.Step{showStep}
}

// webhookRepairSteps are the steps that make webhooks respond again.
func (c *checker) webhookRepairSteps(g webhookGroup) []stuck.Step {
	first, untrusted := g.webhooks[0], g.endpoint.untrusted || !g.endpoint.expires.IsZero()
	if first.Service == nil || untrusted {
		return backend.WebhookRepairSteps(c.view, first, untrusted)
	}
	return c.backendRepairSteps(*first.Service, stuck.Step{
		Action:      stuck.ActionCheck,
		Description: fmt.Sprintf("does %s exist, with ready endpoints?", stuck.RefInNamespace("service", first.Service.Name, first.Service.Namespace)),
		Command:     stuck.Kubectlf(first.Service.Namespace, "get service,endpointslices"),
	})
}

// failingNamespaces are the namespaces that cannot be deleted because of a failure that
// their conditions name.
func (c *checker) failingNamespaces(matches func(failure string) bool) []stuck.Object {
	var out []stuck.Object
	namespaces := c.snapshot.deletingNamespaces()
	for _, o := range namespaces[:min(len(namespaces), maxSelectorReads)] {
		ns := c.view.Namespace(o.Name)
		if ns.Found() && slices.ContainsFunc(apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures, matches) {
			out = append(out, o)
		}
	}
	return out
}

// blockedDeletions are the namespaces that cannot be deleted because the API server cannot
// ask these webhooks whether objects in them may be deleted. Those objects have no
// deletionTimestamp: the condition of the namespace names the webhook.
func (c *checker) blockedDeletions(hooks []backend.Webhook) []stuck.Object {
	return c.failingNamespaces(func(failure string) bool {
		r, ok := apitext.ParseRejection(failure)
		return ok && r.By == apitext.WebhookFailed && slices.ContainsFunc(hooks, func(h backend.Webhook) bool { return r.Name == h.Name })
	})
}

// undeletedImpact says which objects in namespaces cannot be deleted because of webhooks,
// as far as they can be read.
func (c *checker) undeletedImpact(namespaces []stuck.Object, hooks []backend.Webhook) []string {
	var impact []string
	for _, ns := range namespaces {
		var left []string
		for kind, n := range c.view.NamespaceContent(ns.Name).NotDeleted {
			if slices.ContainsFunc(hooks, func(h backend.Webhook) bool { return backend.MatchesDelete(h, kind) }) {
				left = append(left, fmt.Sprintf("%d %s", n, kind.Plural))
			}
		}
		if slices.Sort(left); len(left) > 0 {
			impact = append(impact, fmt.Sprintf("the namespace controller cannot delete %s%s", joinFirst(left), stuck.InNamespace(ns.Name)))
		}
	}
	return impact
}
