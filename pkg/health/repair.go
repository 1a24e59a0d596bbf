package health

import (
	"fmt"
	"slices"
	"strings"

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
// whether it can be repaired where it is.
func (c *checker) backendProblems(ref cluster.ServiceReference) []string {
	problems := backend.ServiceProblems(c.view, ref)
	if len(problems) > 0 && c.isTerminating(ref.Namespace) {
		problems = append(problems, fmt.Sprintf("namespace %s is being deleted (Terminating), so nothing can be created in it", ref.Namespace))
	}
	return problems
}

// backendRepairSteps is how a Service answers again that the API server calls. It never
// is to delete something: where nobody knows better it is to look.
func (c *checker) backendRepairSteps(ref cluster.ServiceReference, showStep stuck.Step) []stuck.Step {
	switch ns := c.view.Namespace(ref.Namespace); {
	case ns.Absent():
		return []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("if it is still wanted, install its software again, in the same version: it ran in namespace %s, which does not exist", ref.Namespace)}}
	case c.isTerminating(ref.Namespace):
		return []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("if it is still wanted, install its software in another namespace, or again when namespace %s is deleted", ref.Namespace)}}
	}
	if steps := backend.ServiceRepairSteps(c.view, ref); len(steps) > 0 {
		return steps
	}
	return []stuck.Step{showStep}
}

// webhookRepairSteps is how webhooks are reached again.
func (c *checker) webhookRepairSteps(g webhookGroup) []stuck.Step {
	first, untrusted := g.webhooks[0], g.endpoint.untrusted || !g.endpoint.expires.IsZero()
	if first.Service == nil || untrusted {
		return backend.WebhookRepairSteps(c.view, first, untrusted)
	}
	return c.backendRepairSteps(*first.Service, stuck.Step{
		Action:      stuck.ActionCheck,
		Description: "see which service it calls, and whether that has ready endpoints",
		Command:     stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(first.ConfigurationType.Kind), first.ConfigurationName),
	})
}

// blockedDeletions are the namespaces that cannot finish being deleted as the API server
// cannot ask these webhooks whether objects in them may be deleted. Those objects
// bear no mark of it: the namespace's condition tells.
func (c *checker) blockedDeletions(hooks []backend.Webhook) []string {
	var out []string
	for _, name := range c.snapshot.deletingNamespaces()[:min(len(c.snapshot.deletingNamespaces()), maxSelectorReads)] {
		ns := c.view.Namespace(name)
		if !ns.Found() {
			continue
		}
		failures := apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures
		i := slices.IndexFunc(hooks, func(h backend.Webhook) bool {
			return slices.ContainsFunc(failures, func(message string) bool {
				r, ok := apitext.ParseRejection(message)
				return ok && r.By == apitext.WebhookFailed && r.Name == h.Name
			})
		})
		if i >= 0 {
			out = append(out, "namespace/"+name+c.undeletedNote(name, hooks))
		}
	}
	return out
}

// undeletedNote counts what a namespace holds that webhooks are asked about before it is
// deleted.
func (c *checker) undeletedNote(namespace string, hooks []backend.Webhook) string {
	var left []string
	for kind, n := range c.view.NamespaceContent(namespace).NotDeleted {
		if slices.ContainsFunc(hooks, func(h backend.Webhook) bool { return backend.MatchesDelete(h, kind) }) {
			left = append(left, fmt.Sprintf("%d %s", n, kind.Plural))
		}
	}
	if slices.Sort(left); len(left) == 0 {
		return ""
	}
	return " (" + joinFirst(left) + ")"
}
