package health

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// leasePolicies are the admission policies that are evaluated when kube-controller-manager renews its
// Lease, and whether all could be read. That a policy is evaluated does not mean that it denies
// anything.
func (c *checker) leasePolicies() (refs []string, complete bool) {
	lease := stuck.Object{Type: cluster.LeaseType, Namespace: metav1.NamespaceSystem, Name: "kube-controller-manager"}
	complete = true
	for _, kind := range []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy"} {
		found := backend.PoliciesOfUpdate(c.view, kind, lease)
		complete = complete && found.Complete
		for _, name := range found.Items {
			refs = append(refs, strings.ToLower(kind)+"/"+name)
		}
	}
	return refs, complete
}

// leasePolicyEvidence names the policies that may be why that Lease is not renewed.
func (c *checker) leasePolicyEvidence() []string {
	policies, _ := c.leasePolicies()
	if len(policies) == 0 {
		return nil
	}
	return []string{"evaluated for updates of this Lease, and may deny them: " + joinFirst(policies)}
}

// policyDetails says which admission policies can deny the renewal of Leases.
func (c *checker) policyDetails() (details []string, complete bool) {
	if !c.includesType(cluster.LeaseType.Group, cluster.LeaseType.Resource) {
		return nil, true
	}
	refs, complete := c.leasePolicies()
	if len(refs) > 0 {
		details = []string{"evaluated for updates of Leases in kube-system, which they can deny: " + joinFirst(refs)}
	}
	return details, complete
}

// webhookPlugins are the admission plugins that call webhooks.
var webhookPlugins = map[bool]string{false: "ValidatingAdmissionWebhook", true: "MutatingAdmissionWebhook"}

// staticAdmission says what is known of webhooks and policies that the API server reads from files
// (KEP-5793). They are in no list: only its metrics name them.
func (c *checker) staticAdmission(m cluster.Metrics, listed cluster.List[backend.Webhook]) (problems []stuck.Problem, details []string) {
	if len(m.StaticAdmission) == 0 {
		return nil, nil
	}
	slices.Sort(m.StaticAdmission)
	details = []string{"the API server has admission from files, which no list shows: " + strings.Join(m.StaticAdmission, ", ")}
	if !listed.Complete || c.isLimited() {
		return nil, details
	}
	for key := range m.WebhookFailures {
		isListed := slices.ContainsFunc(listed.Items, func(h backend.Webhook) bool { return h.Name == key.Name })
		if isListed || !slices.Contains(m.StaticAdmission, webhookPlugins[key.Mutating]) {
			continue
		}
		hook := backend.Webhook{Name: key.Name}
		if key.Mutating {
			hook.ConfigurationType.Kind = "MutatingWebhookConfiguration"
		}
		evidence, failsOften := c.failedCalls(webhookGroup{webhooks: []backend.Webhook{hook}}, m)
		if failsOften {
			problems = append(problems, stuck.Problem{
				State: stuck.Warning, Reason: "static-webhook-often-failed", Subject: stuck.Culprit{Kind: "webhook", Name: key.Name},
				Message:  fmt.Sprintf("calls of webhook %s often failed, which no configuration in the API names", key.Name),
				Evidence: append(evidence, "the API server reads configurations of "+webhookPlugins[key.Mutating]+" from files"),
				Impact:   []string{"the count does not say whether calls fail now; a webhook that was deleted since the API server started is counted too"},
				Steps:    []stuck.Step{{Action: stuck.ActionCheck, Description: "on each control plane node, which files are in the staticManifestsDir that the file of --admission-control-config-file names?"}},
			})
		}
	}
	return problems, details
}
