package argocd

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const finalizerResources = "resources-finalizer.argocd.argoproj.io"

// ProjectInUse holds an AppProject while Applications belong to it.
var ProjectInUse = kit.Cause{
	ID:    "argocd-project-in-use",
	Title: "Applications still belong to the Argo CD project",
	Doc: kit.Doc{
		Symptoms: "An AppProject with the finalizer `resources-finalizer.argocd.argoproj.io` is being deleted, and Applications name the AppProject in `spec.project`.",
		Why:      "Argo CD keeps a project while an Application belongs to the project. Argo CD cannot sync or delete an Application without its project.",
		Fix:      "Delete the Applications, or move them to another project. Argo CD then finishes the deletion of the project.",
		IfForced: "Argo CD can no longer sync or delete the Applications. An Application that is deleted then gets stuck too.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.GroupKind() == projectKind && o.HasFinalizer(finalizerResources)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		applications, served := view.TypeForKind(applicationKind)
		if !served {
			return nil
		}
		// Applications elsewhere may name it without being let in; those beside
		// it always are (argoproj/argo-cd controller/appcontroller.go,
		// finalizeProjectDeletion).
		var members []stuck.Object
		for _, app := range cluster.ReadList[Application](view, applications, cluster.Selection{Namespace: o.Namespace}).Items {
			if app.Project() == o.Name {
				members = append(members, stuck.ObjectOf(applications, app.ObjectMeta))
			}
		}
		if len(members) == 0 {
			return nil
		}
		return []stuck.Finding{projectInUseFinding(o, members)}
	},
}

func projectInUseFinding(o stuck.Object, members []stuck.Object) stuck.Finding {
	deleting, left := kit.SplitByDeleting(members)
	f := stuck.Finding{
		Message:   kit.CountByType(members) + kit.Verb(members, " belongs", " belong") + " to the project",
		BlockedBy: kit.CulpritAmong(members, o),
		Certainty: stuck.Confirmed,
		Explains:  []string{finalizerResources},
		WaitsFor:  deleting,
		OnForce:   stuck.Cost{Leaves: stuck.LeakObjects, Description: "the applications of the project can be neither synced nor deleted"},
	}
	if len(left) == 0 {
		return f
	}
	f.Verdict, f.Evidence = stuck.Blocked, kit.NotDeletedLines(left, "names the project in spec.project")
	for _, app := range left[:min(len(left), stuck.MaxUngrouped)] {
		f.Steps = append(f.Steps, moveToDefaultProjectStep(o, app))
	}
	f.Steps = slices.Insert(f.Steps, 0, stuck.Step{
		Action:      stuck.ActionCheck,
		Description: "see which applications belong to the project", Command: stuck.Kubectlf(o.Namespace, "get applications.argoproj.io -o custom-columns=NAME:.metadata.name,PROJECT:.spec.project"),
	})
	return f
}

// moveToDefaultProjectStep is how an Application stops holding its project. The project
// default is always there.
func moveToDefaultProjectStep(project, app stuck.Object) stuck.Step {
	if project.Name == "default" {
		return stuck.Step{
			Action:      stuck.ActionDelete,
			Description: fmt.Sprintf("delete %s and all that it deployed, if it is not moved to another project", app.Name),
			Command:     stuck.Kubectlf(app.Namespace, "delete application.argoproj.io %s", app.Name),
		}
	}
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("move %s to another project, here default, whose rules then apply", app.Name),
		Command:     stuck.Kubectlf(app.Namespace, `patch application.argoproj.io %s --type merge -p '{"spec":{"project":"default"}}'`, app.Name),
	}
}
