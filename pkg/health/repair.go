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
func (e *checker) isTerminating(namespace string) bool {
	ns := e.view.Namespace(namespace)
	return ns.Found() && ns.Value.DeletionTimestamp != nil
}

// backendProblems is what is wrong with a Service that the API server calls, and
// whether it can be repaired where it is.
func (e *checker) backendProblems(ref cluster.ServiceReference) []string {
	problems := backend.ServiceProblems(e.view, ref)
	if len(problems) > 0 && e.isTerminating(ref.Namespace) {
		problems = append(problems, fmt.Sprintf("namespace %s is being deleted (Terminating), so nothing can be created in it", ref.Namespace))
	}
	return problems
}

// backendRepairSteps is how a Service answers again that the API server calls. It never
// is to delete something: where nobody knows better it is to look.
func (e *checker) backendRepairSteps(ref cluster.ServiceReference, showStep stuck.Step) []stuck.Step {
	switch ns := e.view.Namespace(ref.Namespace); {
	case ns.Absent():
		return []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("if it is still wanted, install its software again, in the same version: it ran in namespace %s, which does not exist", ref.Namespace)}}
	case e.isTerminating(ref.Namespace):
		return []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("if it is still wanted, install its software in another namespace, or again when namespace %s is deleted", ref.Namespace)}}
	}
	if steps := backend.ServiceRepairSteps(e.view, ref); len(steps) > 0 {
		return steps
	}
	return []stuck.Step{showStep}
}

// webhookRepairSteps is how webhooks are reached again.
func (e *checker) webhookRepairSteps(g webhookGroup) []stuck.Step {
	first, untrusted := g.webhooks[0], g.endpoint.untrusted || !g.endpoint.expires.IsZero()
	if first.Service == nil || untrusted {
		return backend.WebhookRepairSteps(e.view, first, untrusted)
	}
	return e.backendRepairSteps(*first.Service, stuck.Step{
		Action:      stuck.ActionCheck,
		Description: "see which service it calls, and whether that has ready endpoints",
		Command:     stuck.Shellf("kubectl get %s %s -o yaml", strings.ToLower(first.ConfigurationType.Kind), first.ConfigurationName),
	})
}

// blockedDeletions are the namespaces that cannot finish being deleted as the API server
// cannot ask these webhooks whether objects in them may be deleted. Those objects
// bear no mark of it: the namespace's condition tells.
func (e *checker) blockedDeletions(hooks []backend.Webhook) []string {
	var out []string
	for _, name := range e.snapshot.deletingNamespaces()[:min(len(e.snapshot.deletingNamespaces()), maxSelectorReads)] {
		ns := e.view.Namespace(name)
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
			out = append(out, "namespace/"+name+e.undeletedNote(name, hooks))
		}
	}
	return out
}

// undeletedNote counts what a namespace holds that webhooks are asked about before it is
// deleted.
func (e *checker) undeletedNote(namespace string, hooks []backend.Webhook) string {
	var left []string
	for kind, n := range e.view.NamespaceContent(namespace).NotDeleted {
		if slices.ContainsFunc(hooks, func(h backend.Webhook) bool { return backend.MatchesDelete(h, kind) }) {
			left = append(left, fmt.Sprintf("%d %s", n, kind.Plural))
		}
	}
	if slices.Sort(left); len(left) == 0 {
		return ""
	}
	return " (" + joinFirst(left) + ")"
}
