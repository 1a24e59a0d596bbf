package cause

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// namespaceConditionDelay is how long the namespace controller may take to report on
// a namespace: under load its conditions come many seconds late.
const namespaceConditionDelay = time.Minute

// NamespaceWithoutConditions is a namespace on which the namespace controller has
// not reported, although kube-controller-manager is running.
var NamespaceWithoutConditions = kit.Cause{
	ID:    "namespace-unreported",
	Title: "The namespace controller has not reported on the namespace",
	Doc: kit.Doc{
		Symptoms: "The namespace is Terminating and has no conditions, while the Lease of kube-controller-manager is renewed.",
		Why:      "In the first minute, missing conditions are normal: the namespace controller may have many namespaces to delete, and reports on each namespace only after its first attempt. After the first minute, the namespace controller is disabled, hangs, or is overloaded.",
		Fix:      "Wait a minute. If there are still no conditions, search the log of kube-controller-manager for `namespace-controller` and restart it.",
		IfForced: "No object in the namespace was deleted yet: all objects are left behind.",
	},
	Applies: kit.IsDeletingNamespace,
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
			OnForce: kit.NamespaceCost(view.NamespaceContent(o.Name).NotDeleted),
		}
		if o.StuckDuration(view.Now()) > namespaceConditionDelay {
			f.Message, f.Verdict = "the namespace controller has not processed the namespace", stuck.Blocked
			f.Steps = []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "read what kube-controller-manager logs about namespaces",
				Command:     "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep namespace",
			}, {Action: stuck.ActionChange, Description: "restart kube-controller-manager"}}
		}
		return []stuck.Finding{f}
	},
}
