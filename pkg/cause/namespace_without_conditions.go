package cause

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceWithoutConditions is a namespace on which the namespace controller has
// not reported, although kube-controller-manager is running.
var NamespaceWithoutConditions = kit.Cause{
	ID:    "namespace-unreported",
	Title: "The namespace controller has not reported on the namespace",
	Doc: kit.Doc{
		Symptoms: "The namespace is Terminating and has no conditions, while the Lease of kube-controller-manager is renewed.",
		Why:      "In the first minute, missing conditions are normal: the namespace controller may have many namespaces to delete, and reports on each namespace only after its first attempt. After the first minute, the namespace controller is disabled, hangs, or is overloaded. It also waits for extension API servers: in each namespace it deletes and lists every type of an aggregated API, one after the other, so a server that responds slowly delays all namespaces, whether they hold objects of it or not.",
		Fix:      "Wait a minute, and longer while the namespace controller works through many namespaces (`--concurrent-namespace-syncs`, 10 at a time by default). If there are still no conditions, search the log of kube-controller-manager for `namespace-controller` and restart it. If an extension API server responds slowly, find out why.",
		IfForced: "No object in the namespace was deleted yet: all objects are left behind.",
	},
	AfterDeletion: true,
	Applies:       kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		ns, lease := view.Namespace(o.Name), kit.ControllerManagerLease(view)
		if !ns.Found() || len(ns.Value.Status.Conditions) > 0 || !kit.ControllerManagerRuns(view) {
			return nil
		}
		if !slices.Contains(o.SpecFinalizers, kit.FinalizerKubernetes) {
			return nil
		}
		f := stuck.Finding{
			Message:   "the namespace controller has just started on the namespace",
			BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: "kube-system", Name: lease.Value.Name},
			Certainty: stuck.Likely,
			Verdict:   stuck.Progressing,
			Explains:  []string{kit.FinalizerKubernetes},
			Evidence: []string{
				"the namespace has no conditions: the namespace controller has not reported on it yet",
				fmt.Sprintf("kube-controller-manager renewed its Lease %s ago", duration.HumanDuration(lease.Value.Age())),
			},
		}
		content := view.NamespaceContent(o.Name)
		if f.OnForce = kit.NamespaceCost(content.NotDeleted); content.Complete && len(content.Deleting)+len(content.NotDeleted) == 0 {
			f.OnForce = stuck.Cost{Leaves: stuck.LeakNothing, Description: "no object is left in the namespace"}
		}
		if o.StuckDuration(view.Now()) > namespaceConditionDelay {
			f = namespaceNotProcessed(view, o, f)
		}
		return []stuck.Finding{f}
	},
}

// namespaceNotProcessed is the finding for a namespace that has had no conditions for too long: the
// controller works through others, or does not work.
func namespaceNotProcessed(view *cluster.View, o stuck.Object, f stuck.Finding) stuck.Finding {
	f.Message, f.Verdict = "the namespace controller has not processed the namespace", stuck.Blocked
	f.Steps = []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "read what kube-controller-manager logs about namespaces",
		Command:     "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep namespace",
	}, kit.RestartControllerManagerStep("")}
	queue := readNamespaceQueue(view, o)
	slow, known := readSlowServers(view)
	if !queue.complete || !known {
		f.Verdict, f.Steps = stuck.Unknown, f.Steps[:1]
	} else if len(slow) > 0 && explainsDelay(slow, queue.waiting, o.StuckDuration(view.Now())) {
		f.Steps = f.Steps[:1]
		return waitsForSlowServers(view, f, slow)
	}
	if queue.waiting <= concurrentNamespaceSyncs {
		return f
	}
	f.Evidence = append(f.Evidence, fmt.Sprintf("%d other namespaces that are being deleted have no conditions either", queue.waiting-1))
	count := stuck.Step{
		Action:      stuck.ActionCheck,
		Description: "count the namespaces that are being deleted, twice: while the number falls, wait",
		Command:     "kubectl get namespaces --field-selector status.phase=Terminating --no-headers | wc -l",
	}
	if queue.reported == "" {
		f.Steps = append([]stuck.Step{count}, f.Steps...)
		return f
	}
	f.Message = fmt.Sprintf("the namespace controller has %d namespaces to process, and this is one of them", queue.waiting)
	f.Verdict, f.Steps = stuck.Progressing, []stuck.Step{count, f.Steps[0]}
	f.Evidence = append(f.Evidence,
		fmt.Sprintf("the namespace controller reported on namespace/%s %s ago", queue.reported, duration.HumanDuration(view.Now().Sub(queue.reportedAt))),
		fmt.Sprintf("the namespace controller processes %d namespaces at a time by default (--concurrent-namespace-syncs)", concurrentNamespaceSyncs))
	return f
}
