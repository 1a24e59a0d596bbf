package kit

import (
	"reflect"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// DeletionRejections are the rejected deletions that the conditions of the namespace
// report, each once.
func DeletionRejections(view *cluster.View, namespace string) []apitext.Rejection {
	ns := view.Namespace(namespace)
	if !ns.Found() {
		return nil
	}
	var out []apitext.Rejection
	for _, failure := range apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).ContentFailures {
		r, ok := apitext.ParseRejection(failure)
		if ok && !slices.ContainsFunc(out, func(other apitext.Rejection) bool { return reflect.DeepEqual(r, other) }) {
			out = append(out, r)
		}
	}
	return out
}

// BlockedDeletion is what a rejection keeps from being deleted, and how sure that is.
type BlockedDeletion struct {
	Certainty stuck.Certainty
	Objects   string
}

// DeletionWebhookFindings checks what the conditions say of a webhook: that it
// exists and matches deletions, and that objects exist which it matches.
func DeletionWebhookFindings(view *cluster.View, o stuck.Object, r apitext.Rejection, finding func(*cluster.View, apitext.Rejection, backend.Webhook, BlockedDeletion) stuck.Finding) []stuck.Finding {
	var findings []stuck.Finding
	content := view.NamespaceContent(o.Name)
	for _, hook := range backend.WebhooksNamedInRejection(view, &r).Items {
		left := map[cluster.TypeName]int{}
		for kind, n := range content.NotDeleted {
			if backend.MatchesDelete(hook, kind) {
				left[kind] = n
			}
		}
		b := BlockedDeletion{Certainty: stuck.Confirmed, Objects: FormatCounts(left)}
		switch {
		case len(left) == 0 && content.Complete:
			continue // the condition is out of date
		case len(left) == 0:
			b = BlockedDeletion{Certainty: stuck.Likely, Objects: "objects in the namespace"}
		}
		f := finding(view, r, hook, b)
		f.BlockedBy = stuck.Culprit{Kind: hook.ConfigurationType.Kind, Name: hook.ConfigurationName}
		f.Verdict, f.Explains = stuck.Blocked, []string{FinalizerKubernetes}
		f.OnForce = UndeletedCost(content.NotDeleted)
		findings = append(findings, f)
	}
	return findings
}
