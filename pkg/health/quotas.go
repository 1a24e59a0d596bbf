package health

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var resourceQuotaType = stuck.Type{Version: "v1", Resource: "resourcequotas", Kind: "ResourceQuota", Namespaced: true, Listable: true, Watchable: true}

// quotaSyncTime is how long the quota controller may take for a change of a quota: at the latest
// it comes to all quotas by --resource-quota-sync-period, which is five minutes.
const quotaSyncTime = 6 * time.Minute

// staleQuotas are the problems of ResourceQuotas whose status does not follow their spec: then the
// quota controller does not work, as while one of its informers does not sync. That it is disabled
// is a problem of its own. Where there are no ResourceQuotas, nothing is read. The bool is false where
// not all could be read.
func (c *checker) staleQuotas() ([]stuck.Problem, bool) {
	if on, known := c.view.BuiltInControllerEnabled(cluster.QuotaController); known && !on {
		return nil, true
	}
	if !c.includesType("", resourceQuotaType.Resource) || !c.snapshot.hasRead(resourceQuotaType) || !slices.ContainsFunc(c.lists, func(l listResult) bool {
		return l.Type.GVR() == resourceQuotaType.GVR() && l.objectCount() > 0
	}) {
		return nil, true
	}
	var out []stuck.Problem
	quotas := cluster.ReadList[corev1.ResourceQuota](c.view, resourceQuotaType, cluster.Selection{Namespace: c.Namespace})
	for _, q := range quotas.Items {
		if p, ok := c.staleQuota(q); ok {
			out = append(out, p)
		}
	}
	return out, quotas.Complete
}

// staleQuota is the problem of one ResourceQuota.
func (c *checker) staleQuota(q corev1.ResourceQuota) (stuck.Problem, bool) {
	changed, known := quotaChanged(q)
	if !known || q.DeletionTimestamp != nil || c.view.Now().Sub(changed) < quotaSyncTime {
		return stuck.Problem{}, false
	}
	var differing []string
	for name, hard := range q.Spec.Hard {
		if status, ok := q.Status.Hard[name]; !ok || status.Cmp(hard) != 0 {
			differing = append(differing, string(name))
		}
	}
	if len(differing) == 0 {
		return stuck.Problem{}, false
	}
	slices.Sort(differing)
	return stuck.Problem{
		State: stuck.Unhealthy, Reason: "quota-stale", Subject: stuck.Culprit{Kind: "ResourceQuota", Namespace: q.Namespace, Name: q.Name},
		Message:  fmt.Sprintf("%s is not updated by kube-controller-manager", stuck.RefInNamespace("resourcequota", q.Name, q.Namespace)),
		Evidence: []string{fmt.Sprintf("its spec was last changed %s ago, and status.hard differs in %s", duration.HumanDuration(c.view.Now().Sub(changed)), joinFirst(differing))},
		Impact: []string{
			"objects that were deleted still count, and what the quota limits may be rejected (status unknown for quota)",
			"the quota controller does not start before its informers of all types have synced",
		},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "which types cannot be listed, or streamed?", Command: "kubectl finalizers health --check list,watch"},
			{Action: stuck.ActionCheck, Description: "which informer does kube-controller-manager wait for? (In a hosted control plane, ask the provider.)", Command: "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep -i -e quota -e reflector"},
		},
	}, true
}

// quotaChanged is when the spec of a ResourceQuota was last changed, by its managedFields: those
// of its status do not count. Without them it is not known.
func quotaChanged(q corev1.ResourceQuota) (time.Time, bool) {
	last := q.CreationTimestamp.Time
	if len(q.ManagedFields) == 0 {
		return last, false
	}
	for _, f := range q.ManagedFields {
		if f.Time == nil {
			return last, false
		}
		if f.Subresource == "" && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last, true
}
