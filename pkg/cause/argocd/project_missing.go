package argocd

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ProjectMissing holds an Application whose AppProject is gone.
var ProjectMissing = kit.Cause{
	ID:    "argocd-project-missing",
	Title: "The Argo CD project of the Application does not exist",
	Doc: kit.Doc{
		Symptoms: "An Application with `resources-finalizer.argocd.argoproj.io` names an AppProject in `spec.project` that is not there. Its condition `DeletionError` may say `appproject ... not found`.",
		Why:      "Argo CD deletes only what the project permits, so it asks for the project before anything else, and does nothing without it. The project was deleted too early, by hand, or with the namespace or the Application that held both.",
		Fix:      "Create the project again, or put the Application into one that exists and permits what it has deployed. Argo CD then finishes by itself. What a project does not permit is left where it is.",
		IfForced: "Everything that the Application has deployed stays and runs on, and nothing manages it.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.GroupKind() == applicationKind && len(finalizersOf(o)) > 0
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		app, ok := cluster.ReadObject[Application](view, o)
		projects, served := view.TypeForKind(projectKind)
		if !ok || !served {
			return nil
		}
		// Argo CD looks for projects in its own namespace alone
		// (argoproj/argo-cd controller/appcontroller.go, getAppProj).
		project, namespace := app.Project(), app.Status.ControllerNamespace
		if !kit.IsValidName(project) || namespace != "" && !kit.IsValidName(namespace) {
			return nil
		}
		place := "in namespace " + namespace
		if namespace == "" {
			namespace, place = o.Namespace, "in any namespace"
			if !view.ObjectsNamed(projects, project).IsKnownEmpty() {
				return nil
			}
		} else if !view.Metadata(projects, namespace, project).Absent() {
			return nil
		}
		return []stuck.Finding{projectMissingFinding(view, projects, *app, o, namespace, place)}
	},
}

func projectMissingFinding(view *cluster.View, projects stuck.Type, app Application, o stuck.Object, namespace, place string) stuck.Finding {
	project := app.Project()
	f := stuck.Finding{
		Message:   fmt.Sprintf("its project %s does not exist", project),
		BlockedBy: stuck.Culprit{Kind: "AppProject", Namespace: namespace, Name: project},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  finalizersOf(o),
		Evidence: []string{
			fmt.Sprintf("spec.project is %s, and there is no appproject.argoproj.io of that name %s", project, place),
			"Argo CD asks for the project before it deletes anything",
		},
		Steps: []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: "create the project again, as it was, or for this deletion with everything permitted",
			Command: stuck.Shellf(`printf '{"apiVersion":"%s/%s","kind":"AppProject","metadata":{"name":"%s","namespace":"%s"},`+
				`"spec":{"destinations":[{"server":"*","name":"*","namespace":"*"}],"clusterResourceWhitelist":[{"group":"*","kind":"*"}]}}' | kubectl create -f -`,
				projects.Group, projects.Version, project, namespace),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: fmt.Sprintf("everything %s has deployed to %s stays and runs on, unmanaged", o.Name, app.Destination())},
	}
	for _, c := range app.Status.Conditions {
		if c.Type == "DeletionError" {
			f.Evidence = append(f.Evidence, "its condition DeletionError says: "+apitext.Shorten(c.Message))
		}
	}
	if project != "default" && view.Metadata(projects, namespace, "default").Found() {
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionChange,
			Description: "or put it into the project default, if that permits all that it has deployed",
			Command:     stuck.Kubectlf(o.Namespace, `patch application.argoproj.io %s --type merge -p '{"spec":{"project":"default"}}'`, o.Name),
		})
	}
	return f
}
