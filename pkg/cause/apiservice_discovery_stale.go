package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServiceDiscoveryStale blocks every namespace while the types of an API cannot be
// discovered, although its APIService is available.
var APIServiceDiscoveryStale = kit.Cause{
	ID:    "discovery-stale",
	Title: "The types of an API cannot be discovered, although its APIService is available",
	Doc: kit.Doc{
		Symptoms: "Namespaces stay in Terminating with `NamespaceDeletionDiscoveryFailure` and the text `stale GroupVersion discovery`, while `kubectl get apiservice` shows Available True.",
		Why:      "The availability check passes when the extension server sends any response. Discovery needs the list of types, and the API server does not get this list: the extension server is too old for aggregated discovery, is partly uninstalled, or returns something else.",
		Fix:      "Upgrade or restart the extension server; if it was uninstalled, delete its APIService.",
		IfForced: "Objects of that API in the namespace are left behind in the storage of the API. Every other namespace that is being deleted is still stuck.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, gv := range view.UndiscoveredGroupVersions() {
			api := view.APIService(gv.Group, gv.Version)
			switch available, ok := kit.AvailableCondition(api); {
			case api.Absent() || ok && available.Status != "True":
				// The one has nothing to fix; the other is a cause of its own.
			case ok:
				findings = append(findings, staleDiscoveryFinding(view, *api.Value, available))
			default:
				findings = append(findings, undiscoveredFinding(gv))
			}
		}
		return findings
	},
}

func staleDiscoveryFinding(view *cluster.View, api cluster.APIService, available cluster.Condition) stuck.Finding {
	f := undiscoveredFinding(cluster.GroupVersion{Group: api.Spec.Group, Version: api.Spec.Version})
	f.Certainty = stuck.Confirmed
	f.Evidence = append(f.Evidence, fmt.Sprintf("apiservice/%s has been Available for %s: the server responds, but does not return its types",
		api.Name, kit.ElapsedText(view, available.LastTransitionTime.Time)))
	if s := api.Spec.Service; s != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("apiservice/%s calls %s%s", api.Name, stuck.RefInNamespace("service", s.Name, s.Namespace), backend.ExternalNameClause(view, *s)))
		f.Steps = append(f.Steps, backend.ServiceRepairSteps(view, *s)...)
	}
	f.Steps = append(f.Steps, stuck.Step{
		Action:      stuck.ActionDelete,
		Description: "delete the APIService, only if its software was uninstalled",
		Command:     stuck.Shellf("kubectl delete apiservice %s", api.Name),
	})
	return f
}

// undiscoveredFinding is all that can be said when the APIService itself could not be
// read.
func undiscoveredFinding(gv cluster.GroupVersion) stuck.Finding {
	name := gv.Version + "." + gv.Group
	return stuck.Finding{
		Message:   fmt.Sprintf("the types of %s cannot be discovered", gv),
		BlockedBy: stuck.Culprit{Kind: "APIService", Name: name},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{kit.FinalizerKubernetes},
		Evidence:  []string{fmt.Sprintf("discovery marks %s as stale: the API server does not get its types", gv)},
		Steps:     []stuck.Step{backend.DescribeAPIServiceStep(name)},
		OnForce: stuck.Cost{
			Leaves:      stuck.LeakObjects,
			Description: fmt.Sprintf("objects of %s in the namespace are left behind; other namespaces are still stuck", gv),
		},
	}
}
