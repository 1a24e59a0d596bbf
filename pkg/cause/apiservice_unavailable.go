package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServiceUnavailable blocks every namespace of the cluster while the server
// of an aggregated API is unavailable.
var APIServiceUnavailable = kit.Cause{
	ID:    "apiservice-unavailable",
	Title: "The server of an aggregated API is unavailable",
	Doc: kit.Doc{
		Symptoms: "Every namespace that is deleted stays in Terminating, whatever it contains. The condition `NamespaceDeletionDiscoveryFailure` of the namespace is True and names a group and version. `kubectl get apiservice` shows Available False for that group and version.",
		Why:      "The namespace controller lists every namespaced type before it finishes a namespace. A type whose server is unavailable may have objects in the namespace, so the namespace controller waits. Most often the software was uninstalled and its APIService was left behind.",
		Fix:      "Make the server available again: look at its Service, endpoints and pods. If the software of the server was uninstalled, delete the APIService. All waiting namespaces then finish within a minute.",
		IfForced: "Objects of that API in the namespace are left behind in the storage of the API. Every other namespace that is being deleted is still stuck.",
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
		Message:   fmt.Sprintf("apiservice/%s is unavailable (%s)", api.Name, available.Reason),
		BlockedBy: stuck.Culprit{Kind: "APIService", Name: api.Name},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence: []string{fmt.Sprintf("condition Available has been %s for %s: %s",
			available.Status, kit.ElapsedText(view, available.LastTransitionTime.Time), available.Message)},
		Steps: []stuck.Step{backend.DescribeAPIServiceStep(api.Name)},
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakObjects,
			Description: fmt.Sprintf("objects of %s/%s in the namespace are left behind; other namespaces are still stuck", api.Spec.Group, api.Spec.Version),
		},
	}
	if s := api.Spec.Service; s != nil {
		f.Evidence = append(f.Evidence, backend.ServiceProblems(view, *s)...)
		f.Steps = append(f.Steps, backend.ServiceRepairSteps(view, *s)...)
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionDelete,
		Description: "delete the APIService, only if its software was uninstalled",
		Command:     stuck.Shellf("kubectl delete apiservice %s", api.Name),
	})
	if s := api.Spec.Service; s != nil {
		kit.AddServiceRoot(view, &f, *s)
	}
	return f
}
