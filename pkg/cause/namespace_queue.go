package cause

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// concurrentNamespaceSyncs is how many namespaces the namespace controller processes at a time by
// default (kubernetes/pkg/controller/namespace/config/v1alpha1/defaults.go).
const concurrentNamespaceSyncs = 10

// namespaceReportAge is how old a report of the namespace controller may be to show that it works: it
// comes back to each namespace within its resync period (the same file).
const namespaceReportAge = 5 * time.Minute

// namespaceConditionDelay is how long the namespace controller may take to report on
// a namespace: under load its conditions come many seconds late.
const namespaceConditionDelay = time.Minute

// namespaceQueue is what the namespaces that are being deleted say of their controller.
type namespaceQueue struct {
	// waiting is how many have no conditions.
	waiting int
	// reported is the one on which the controller reported last, after a namespace was deleted that
	// has no conditions; empty where that is long ago.
	reported   string
	reportedAt time.Time
	// complete is false where the namespaces could not be listed.
	complete bool
}

// readNamespaceQueue reads the queue in which a namespace waits.
func readNamespaceQueue(view *cluster.View, o stuck.Object) namespaceQueue {
	all := cluster.ReadList[corev1.Namespace](view, cluster.NamespaceType, cluster.Selection{})
	q := namespaceQueue{complete: all.Complete}
	for _, ns := range all.Items {
		if ns.DeletionTimestamp == nil {
			continue
		}
		if len(ns.Status.Conditions) == 0 {
			q.waiting++
		}
		for _, c := range ns.Status.Conditions {
			at := c.LastTransitionTime.Time
			if at.After(o.DeletionTime) && at.After(q.reportedAt) && view.Now().Sub(at) < namespaceReportAge {
				q.reported, q.reportedAt = ns.Name, at
			}
		}
	}
	return q
}
