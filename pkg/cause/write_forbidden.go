package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteForbidden is not why an object is stuck. It is why who asks could do
// nothing about it, and could not try.
var WriteForbidden = kit.Cause{
	ID:    "write-forbidden",
	Title: "You may not remove the finalizers yourself",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `is forbidden: User ... cannot patch resource`.",
		Why:      "Your account has no role that allows it. In a namespace that is being deleted that happens to its own admins: the namespace controller deletes their RoleBinding with everything else.",
		Fix:      "Ask an administrator, with the right that is named. It takes a ClusterRoleBinding where the namespace is being deleted: nothing can be created in it.",
		IfForced: "Nothing happens: the removal is refused.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !view.Probe(o).Forbidden {
			return nil
		}
		scope := "in the cluster"
		if o.Namespace != "" {
			scope = "in namespace " + o.Namespace
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("you may not patch %s %s", o.Type, scope),
			BlockedBy: o.Culprit(),
			Certainty: stuck.Confirmed,
			Evidence: []string{fmt.Sprintf("so it was not tried whether anything else forbids to take off %s; it needs verb patch on resource %s in API group %q",
				kit.JoinNames(o.Finalizers), o.Type.Resource, o.Type.Group)},
		}}
	},
}
