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

// namespaceConditionDelay is how long the namespace controller may take to say anything of
// a namespace: under load its conditions come many seconds late.
const namespaceConditionDelay = time.Minute

// NamespaceWithoutConditions is a namespace of which the namespace controller has
// said nothing, though kube-controller-manager is alive.
var NamespaceWithoutConditions = kit.Cause{
	ID:    "namespace-unreported",
	Title: "The namespace controller has not said anything of the namespace",
	Doc: kit.Doc{
		Symptoms: "The namespace is Terminating and has no conditions, while the Lease of kube-controller-manager is renewed.",
		Why:      "In the first minute this is normal: the controller has many namespaces to delete, and reports on each only after its first attempt. After that the namespace controller is switched off, hangs, or is far behind.",
		Fix:      "Wait a minute. If it stays so, look at the log of kube-controller-manager for `namespace-controller` and restart it.",
		IfForced: "Nobody has tried to delete anything in the namespace yet: all of it is stranded.",
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
			Message:   "the namespace controller has just begun",
			BlockedBy: stuck.Culprit{Kind: "Lease", Namespace: "kube-system", Name: lease.Value.Name},
			Certainty: stuck.Likely,
			Verdict:   stuck.Progressing,
			Explains:  []string{kit.FinalizerKubernetes},
			Evidence: []string{
				"it has not reported on the namespace yet",
				fmt.Sprintf("kube-controller-manager renewed its lease %s ago", duration.HumanDuration(lease.Value.Age())),
			},
			OnForce: kit.NamespaceCost(view.NamespaceContent(o.Name).NotDeleted),
		}
		if o.StuckDuration(view.Now()) > namespaceConditionDelay {
			f.Message, f.Verdict = "the namespace controller has done nothing about it", stuck.Blocked
			f.Steps = []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "see what kube-controller-manager says of it, and restart it",
				Command:     "kubectl -n kube-system logs -l component=kube-controller-manager --tail=-1 | grep namespace",
			}}
		}
		return []stuck.Finding{f}
	},
}
