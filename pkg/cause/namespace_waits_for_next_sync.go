package cause

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceWaitsForNextSync is a namespace in which nothing is left that the namespace
// controller waits for, and which it has not processed again.
var NamespaceWaitsForNextSync = kit.Cause{
	ID:    "namespace-sync-pending",
	Title: "The namespace controller has not yet processed the namespace again",
	Doc: kit.Doc{
		Symptoms: "A namespace is Terminating, no object in it is being deleted any more, and its conditions report no failure. Other objects may be left without a deletionTimestamp.",
		Why:      "The namespace controller does not watch the objects in a namespace. While Pods are within their grace period, it processes the namespace again after half of the longest `terminationGracePeriodSeconds`, at the latest with its next resync, every 5 minutes (`--namespace-sync-period`). After an error or for a finalizer, it retries within a minute.",
		Fix:      "Wait. Any update of the namespace, such as a new annotation, makes the controller process it after 5 seconds.",
		IfForced: "The objects that are not deleted yet are left behind in etcd.",
	},
	AfterDeletion: true,
	Applies:       kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		ns := view.Namespace(o.Name)
		if !ns.Found() || len(ns.Value.Status.Conditions) == 0 || !slices.Contains(o.SpecFinalizers, kit.FinalizerKubernetes) {
			return nil
		}
		reported := apitext.ParseNamespaceConditions(ns.Value.Status.Conditions)
		if reported.DiscoveryFailure != "" || len(reported.ContentFailures) > 0 {
			return nil
		}
		content := view.NamespaceContent(o.Name)
		if len(content.Deleting) > 0 || !content.Complete || !kit.ControllerManagerRuns(view) {
			return nil
		}
		if remaining := len(reported.Remaining)+len(reported.Finalizers) > 0; !remaining {
			return []stuck.Finding{syncPendingFinding(view, o, content, "5 minutes")}
		} else if len(content.NotDeleted) == 0 {
			return []stuck.Finding{syncPendingFinding(view, o, content, "a minute")}
		}
		return nil
	},
}

func syncPendingFinding(view *cluster.View, o stuck.Object, content cluster.NamespaceContent, within string) stuck.Finding {
	lease := kit.ControllerManagerLease(view)
	f := stuck.Finding{
		Message:   "the namespace controller processes the namespace again within " + within,
		BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: lease.Value.Namespace, Name: lease.Value.Name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Progressing,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence:  []string{"no object in the namespace has a deletionTimestamp, and the conditions report no failure"},
		Steps: []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: "wait, or make the controller process the namespace now: any update of the namespace does",
			Command:     stuck.Shellf("kubectl annotate namespace %s example.com/processed-again=1 --overwrite", o.Name),
		}},
		OnForce: kit.NamespaceCost(content.NotDeleted),
	}
	if len(content.NotDeleted) > 0 {
		f.Evidence = append(f.Evidence, "not yet deleted: "+kit.FormatCounts(content.NotDeleted))
	} else {
		f.OnForce = stuck.Cost{Leaves: stuck.LeakNothing, Description: "no object is left in the namespace"}
	}
	f.Evidence = append(f.Evidence,
		"the controller waits half of the longest grace period of the pods that it deleted, but no longer than its resync period (5m by default)",
		fmt.Sprintf("kube-controller-manager renewed its Lease %s ago", duration.HumanDuration(lease.Value.Age())))
	if within != "5 minutes" {
		f.Evidence[len(f.Evidence)-2] = "the conditions still count objects: the controller wrote them before those objects were deleted"
	}
	return f
}
