package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// APIServiceListFails holds every namespace while an extension server that is
// available cannot list one of its types.
var APIServiceListFails = kit.Cause{
	ID:    "apiservice-list-fails",
	Title: "The server behind an aggregated API is available and cannot list its objects",
	Doc: kit.Doc{
		Symptoms: "Every namespace that is deleted stays in Terminating with `NamespaceDeletionContentFailure`, while `kubectl get apiservice` shows Available True. `kubectl get` of a type of that API fails with an internal error.",
		Why:      "The availability check asks the server for its discovery document alone. Behind it a database is down, a permission is missing or the server is broken, so it names its types and cannot list them. The namespace controller lists each type before it lets the namespace go.",
		Fix:      "Repair the server: its log says why the list fails. If its software is gone for good, delete the APIService.",
		IfForced: "Objects of that API in the namespace are never deleted and stay in its storage. Every other namespace is still stuck.",
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
			f.Message = fmt.Sprintf("%s cannot be listed: the server behind apiservice/%s fails", failure.Type, api.Value.Name)
			f.Certainty, f.Verdict, f.Explains = stuck.Confirmed, stuck.Blocked, []string{kit.FinalizerKubernetes}
			f.Evidence = append(f.Evidence,
				fmt.Sprintf("apiservice/%s has been Available for %s: that says only that its server answers", api.Value.Name, kit.ElapsedText(view, available.LastTransitionTime.Time)),
				fmt.Sprintf("it is served by service/%s -n %s%s", service.Name, service.Namespace, backend.ExternalNameClause(view, service)))
			f.Steps = append(backend.ServiceLogSteps(view, service, "read in its log why it cannot list "+failure.Type.String()), stuck.Step{
				Action:      stuck.ActionDelete,
				Description: "only if its software is uninstalled for good, delete the APIService",
				Command:     stuck.Shellf("kubectl delete apiservice %s", api.Value.Name),
			})
			f.OnForce = stuck.Cost{
				Leaves:      stuck.LeakObjects,
				Description: fmt.Sprintf("objects of %s in the namespace stay in that API's storage; every other namespace is still stuck", cluster.GroupVersion{Group: failure.Type.Group, Version: failure.Type.Version}),
			}
			findings = append(findings, f)
		}
		return findings
	},
}
