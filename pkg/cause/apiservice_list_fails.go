package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServiceListFails blocks every namespace while an extension server that is
// available cannot list one of its types.
var APIServiceListFails = kit.Cause{
	ID:    "apiservice-list-fails",
	Title: "The server of an aggregated API is available, but cannot list its objects",
	Doc: kit.Doc{
		Symptoms: "Every namespace that is deleted stays in Terminating with `NamespaceDeletionContentFailure`, while `kubectl get apiservice` shows Available True. `kubectl get` of a type of that API fails with an internal error.",
		Why:      "The availability check reads only the discovery document. The types of the server can be discovered, but cannot be listed: a database behind the server is down, a permission is missing, or the server is broken. The namespace controller lists every type before it finishes a namespace.",
		Fix:      "Repair the server: the log of the server says why the list fails. If the software of the server was uninstalled, delete the APIService.",
		IfForced: "Objects of that API in the namespace are left behind in the storage of the API. Every other namespace that is being deleted is still stuck.",
	},
	Applies: kit.IsDeletingNamespace,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, failure := range kit.ListFailures(view, o) {
			f, ok := kit.ExtensionServerFinding(view, failure)
			if !ok {
				continue
			}
			api := view.APIService(failure.Type.Group, failure.Type.Version)
			available, known := kit.AvailableCondition(api)
			if !known || available.Status != "True" {
				continue // that is a cause of its own
			}
			service := *api.Value.Spec.Service
			f.Certainty, f.Verdict, f.Explains = stuck.Confirmed, stuck.Blocked, []string{kit.FinalizerKubernetes}
			f.Evidence = append(f.Evidence,
				fmt.Sprintf("apiservice/%s has been Available for %s, which proves only that the server responds", api.Value.Name, kit.ElapsedText(view, available.LastTransitionTime.Time)),
				fmt.Sprintf("apiservice/%s calls %s%s", api.Value.Name, stuck.RefInNamespace("service", service.Name, service.Namespace), backend.ExternalNameClause(view, service)))
			f.Steps = append(backend.ServiceLogSteps(view, service, "read in the log of the server why it cannot list "+failure.Type.String()), stuck.Step{
				Action:      stuck.ActionDelete,
				Description: "delete the APIService, only if its software was uninstalled",
				Command:     stuck.Shellf("kubectl delete apiservice %s", api.Value.Name),
			})
			f.OnForce = stuck.Cost{
				Leaves:      stuck.LeakObjects,
				Description: fmt.Sprintf("objects of %s in the namespace are left behind; other namespaces are still stuck", cluster.GroupVersion{Group: failure.Type.Group, Version: failure.Type.Version}),
			}
			findings = append(findings, f)
		}
		return findings
	},
}
