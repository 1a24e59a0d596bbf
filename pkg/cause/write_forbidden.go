package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteForbidden is not why an object is stuck. It is why the user can neither
// remove the finalizers nor send a dry run.
var WriteForbidden = kit.Cause{
	ID:    "write-forbidden",
	Title: "You have no permission to remove the finalizers",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `is forbidden: User ... cannot patch resource`.",
		Why:      "No role of your user allows the update. In a namespace that is being deleted, even the admins of the namespace lose this permission: the namespace controller deletes their RoleBinding with all other objects.",
		Fix:      "Ask an administrator for the permission. In a namespace that is being deleted, no RoleBinding can be created: the administrator must use a ClusterRoleBinding.",
		IfForced: "A forced removal is rejected.",
	},
	AfterDeletion: true,
	Applies:       kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !view.Probe(o).Forbidden {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("you have no permission to patch %s%s", o.Type, stuck.InNamespace(o.Namespace)),
			BlockedBy: o.Culprit(),
			Certainty: stuck.Confirmed,
			Evidence: []string{
				fmt.Sprintf("required: verb patch on resource %s in API group %q", o.Type.Resource, o.Type.Group),
				"not checked: whether anything else rejects the removal of " + kit.JoinNames(o.Finalizers),
			},
			Steps: []stuck.Step{{
				Action: stuck.ActionCheck, Description: "see your permissions",
				Command: stuck.Kubectlf(o.Namespace, "auth can-i --list"),
			}},
		}}
	},
}
