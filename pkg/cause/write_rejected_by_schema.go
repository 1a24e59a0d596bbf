package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteRejectedBySchema is an object that no longer is what its type asks for: no
// write to it is accepted that does not repair it.
var WriteRejectedBySchema = kit.Cause{
	ID:    "schema-refuses",
	Title: "The finalizers cannot be removed because the object is no longer valid",
	Doc: kit.Doc{
		Symptoms: "An update of the object fails with `is invalid` and the name of a field that the update does not touch.",
		Why:      "The type was tightened after the object was stored: its CustomResourceDefinition got a field that is required, or a rule. Newer API servers forgive what an update does not touch, but not all of it: not what is missing at the top of the object, for one.",
		Fix:      "Put into the object what is asked for, or make it optional again in the CustomResourceDefinition, until the object is gone.",
		IfForced: "A forced removal is a write like any other and is refused too. To delete the CustomResourceDefinition instead loses all objects of the type.",
	},
	Applies: kit.HasRemovableFinalizers,
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		t, ok := kit.ProbeRejection(view, o, apitext.ValidationFailed)
		if !ok || kit.HasImmutableSpecError(o, t.Rejection) {
			return nil
		}
		f := kit.RejectionFinding(o, t, !t.Representative)
		f.Message = "it cannot be updated: it is no longer valid: " + kit.InvalidFields(t.Rejection)
		f.BlockedBy = o.Culprit()
		f.Steps = []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: fmt.Sprintf("put right what is wrong with %s", t.Object.Name),
			Command:     stuck.Kubectlf(o.Namespace, "edit %s %s", o.Type, t.Object.Name),
		}}
		if t.Representative {
			f.Steps[0].Description += ", and with those that are alike"
		}
		if !stuck.IsBuiltInGroup(o.Type.Group) && view.CRD(o.Type.String()).Found() {
			f.BlockedBy = stuck.Culprit{Kind: "CustomResourceDefinition", Name: o.Type.String()}
			f.Steps = append(f.Steps, stuck.Step{
				Action:      stuck.ActionChange,
				Description: "or do not ask for it until the object is gone: loosen the schema of its type",
				Command:     stuck.Shellf("kubectl edit crd %s", o.Type.String()),
			})
		}
		return []stuck.Finding{f}
	},
}
