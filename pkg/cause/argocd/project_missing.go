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
		Symptoms: "An Application has the finalizer `resources-finalizer.argocd.argoproj.io`, and the AppProject in its `spec.project` does not exist. The condition `DeletionError` of the Application may say `appproject ... not found`.",
		Why:      "Argo CD deletes only objects that the project permits. Argo CD reads the project first, and does nothing without the project. The project was deleted too early: by hand, or with the namespace or the Application that contained both the project and this Application.",
		Fix:      "Recreate the project, or move the Application to a project that exists and permits the objects that the Application deployed. Argo CD then finishes the deletion. Objects that the project does not permit are left behind.",
		IfForced: "The objects that the Application deployed are left behind, unmanaged.",
	},
	ControllerNext: true,
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
		Message:   fmt.Sprintf("appproject/%s of the application does not exist", project),
		BlockedBy: stuck.Culprit{Kind: "AppProject", Namespace: namespace, Name: project},
		Certainty: stuck.Confirmed,
		Verdict:   stuck.Blocked,
		Explains:  finalizersOf(o),
		Evidence: []string{
			fmt.Sprintf("spec.project is %s; appproject.argoproj.io/%s does not exist %s", project, project, place),
			"Argo CD reads the project before it deletes anything",
		},
		Steps: []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: "recreate the project, here with everything permitted for this deletion",
			Command: stuck.Shellf(`printf %%s '{"apiVersion":"%s/%s","kind":"AppProject","metadata":{"name":%q,"namespace":%q},`+
				`"spec":{"destinations":[{"server":"*","name":"*","namespace":"*"}],"clusterResourceWhitelist":[{"group":"*","kind":"*"}]}}' | kubectl create -f -`,
				projects.Group, projects.Version, project, namespace),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: fmt.Sprintf("the objects that %s deployed to %s are left behind, unmanaged", o.Name, app.Destination())},
	}
	for _, c := range app.Status.Conditions {
		if c.Type == "DeletionError" {
			f.Evidence = append(f.Evidence, "condition DeletionError: "+apitext.Shorten(c.Message))
		}
	}
	if project != "default" && view.Metadata(projects, namespace, "default").Found() {
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionChange,
			Description: "move the application to project default, if that permits all that it deployed",
			Command:     stuck.Kubectlf(o.Namespace, `patch application.argoproj.io %s --type merge -p '{"spec":{"project":"default"}}'`, o.Name),
		})
	}
	return f
}
