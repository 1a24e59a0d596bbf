package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServiceUnavailable holds every namespace of the cluster while the server
// behind an aggregated API does not answer.
var APIServiceUnavailable = kit.Cause{
	ID:    "apiservice-unavailable",
	Title: "The server behind an aggregated API does not answer",
	Doc: kit.Doc{
		Symptoms: "Every namespace that is deleted stays in Terminating, whatever it holds. Its condition `NamespaceDeletionDiscoveryFailure` is True and names a group and version; `kubectl get apiservice` shows that one with Available False.",
		Why:      "Before it lets a namespace go, the namespace controller asks for every type that could live in it. A type whose server is gone might hold objects, so it waits. Most often the software behind the APIService was uninstalled and its APIService was left.",
		Fix:      "Bring the server back: look at the Service, its endpoints and its pods. If its software is gone for good, delete the APIService, and all waiting namespaces finish within a minute.",
		IfForced: "Objects of that API in the namespace are never deleted and stay in its storage. Every other namespace is still stuck.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, gv := range view.UndiscoveredGroupVersions() {
			api := view.APIService(gv.Group, gv.Version)
			if !api.Found() {
				continue
			}
			if available, ok := api.Value.AvailableCondition(); ok && available.Status != "True" {
				findings = append(findings, unavailableFinding(view, *api.Value, available))
			}
		}
		return findings
	},
}

func unavailableFinding(view *cluster.View, api cluster.APIService, available cluster.Condition) stuck.Finding {
	f := stuck.Finding{
		Message:   fmt.Sprintf("apiservice/%s is unavailable: %s", api.Name, available.Reason),
		BlockedBy: stuck.Culprit{Kind: "APIService", Name: api.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence: []string{fmt.Sprintf("its condition Available has been %s for %s: %s",
			available.Status, kit.ElapsedText(view, available.LastTransitionTime.Time), available.Message)},
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakObjects,
			Description: fmt.Sprintf("objects of %s/%s in the namespace stay in that API's storage; every other namespace is still stuck", api.Spec.Group, api.Spec.Version),
		},
	}
	if s := api.Spec.Service; s != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *s)...)
		f.Steps = append(f.Steps, backend.ServiceRepairSteps(view, *s)...)
	}
	f.Steps = append(f.Steps, backend.DescribeAPIServiceStep(api.Name), stuck.Step{
		Action:      stuck.ActionDelete,
		Description: "only if its software is uninstalled for good, delete the APIService",
		Command:     stuck.Shellf("kubectl delete apiservice %s", api.Name),
	})
	return f
}
