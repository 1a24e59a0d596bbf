package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteRejectedBySchema is an object that is not valid against its schema: no
// write to it is accepted that does not correct it.
var WriteRejectedBySchema = kit.Cause{
	ID:    "schema-refuses",
	Title: "The object is no longer valid, so the finalizers cannot be removed",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `is invalid` and the name of a field that the update does not change.",
		Why:      "The schema was tightened after the object was stored: the CustomResourceDefinition got a required field, or a rule. Newer API servers tolerate invalid fields that an update does not change, but not every such field. For example, they reject a missing required field at the top level of the object.",
		Fix:      "Add the required field to the object, or make the field optional in the CustomResourceDefinition until the object is deleted.",
		IfForced: "A forced removal is a write and is rejected too. Deleting the CustomResourceDefinition instead deletes all objects of the type.",
	},
	RejectsUpdates: true,
	Applies:        kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.ValidationFailed)
		if !ok || kit.HasImmutableSpecError(o, t.Rejection) {
			return nil
		}
		f := kit.RejectionFinding(o, t, !t.Representative)
		f.Message = "the object is no longer valid (" + kit.InvalidFields(t.Rejection) + "), so updates are rejected"
		f.BlockedBy = o.Culprit()
		f.Steps = []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: fmt.Sprintf("correct %s", t.Object.Ref()),
			Command:     stuck.Kubectlf(o.Namespace, "edit %s %s", o.Type, t.Object.Name),
		}}
		if t.Representative {
			f.Steps[0].Description += " and all similar objects"
		}
		if !stuck.IsBuiltInGroup(o.Type.Group) && view.CRD(o.Type.String()).Found() {
			f.BlockedBy = stuck.Culprit{Kind: "CustomResourceDefinition", Name: o.Type.String()}
			f.Steps = append(f.Steps, stuck.Step{
				Action:      stuck.ActionChange,
				Description: "loosen the schema until the object is deleted",
				Command:     stuck.Shellf("kubectl edit crd %s", o.Type.String()),
			})
		}
		return []stuck.Finding{f}
	},
}
