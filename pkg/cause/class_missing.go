package cause

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ClassMissing holds an object whose class was deleted, or belongs to another
// controller: its controller no longer handles it. Which field names the class is the
// catalog's knowledge (class).
var ClassMissing = kit.Cause{
	ID:    "class-missing",
	Title: "The class of the object does not exist, or belongs to another controller",
	Doc: kit.Doc{
		Symptoms: "The object names a class, such as an IngressClass or a GatewayClass, that does not exist, or whose controller is not the one that removes the finalizer.",
		Why:      "A controller handles only objects of its own class. The class was deleted or changed before the objects that name the class were deleted.",
		Fix:      "Recreate the class with the same controller, and keep the class until the objects are deleted.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerNext: true,
	ByEntry: func(view *cluster.View, known kit.KnownFinalizer) []stuck.Finding {
		if len(known.Entry.Class) == 0 {
			return nil
		}
		content, ok := kit.Content(view, known.Object)
		if !ok {
			return nil
		}
		var out []stuck.Finding
		for _, class := range known.Entry.Class {
			if name := class.NameIn(content); kit.IsValidName(name) {
				out = append(out, classFindings(view, known, class, name)...)
			}
		}
		return out
	},
}

func classFindings(view *cluster.View, known kit.KnownFinalizer, class catalog.Class, name string) []stuck.Finding {
	t, served := view.TypeForKindOrGap(class.Type.GroupKind())
	if !served {
		return nil
	}
	target := stuck.Object{Type: t, Name: name}
	read := cluster.Read[unstructured.Unstructured](view, t, "", name)
	f := stuck.Finding{
		BlockedBy: target.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{known.Finalizer},
		OnForce:   stuck.UnknownCost(known.Finalizer),
	}
	names := strings.Join(class.Controllers, " or ")
	switch {
	case read.Absent():
		f.Message = target.Ref() + " does not exist, so no controller handles the object"
		f.Evidence = []string{fmt.Sprintf("%s of the object names %s, which does not exist", class.FieldValue, target.Ref())}
		description := fmt.Sprintf("recreate %s until the object is deleted", target.Ref())
		if names != "" {
			description += "; its controller is " + names
		}
		f.Steps = []stuck.Step{{Action: stuck.ActionChange, Description: description}}
	case read.Found() && len(class.Controllers) > 0 && !slices.Contains(class.Controllers, class.ControllerIn(read.Value.Object)):
		other := class.ControllerIn(read.Value.Object)
		f.Message = fmt.Sprintf("%s belongs to controller %s, which does not remove the finalizer", target.Ref(), other)
		f.Evidence = []string{
			fmt.Sprintf("%s of the object names %s, and %s of that is %s", class.FieldValue, target.Ref(), class.Controller, other),
			fmt.Sprintf("%s handles only objects whose class names %s", known.Entry.Project, names),
		}
		f.Steps = []stuck.Step{{
			Action: stuck.ActionCheck, Description: "check who changed the class; the object needs a class of " + names,
			Command: stuck.Shellf("kubectl get %s -o yaml --show-managed-fields", target.Ref()),
		}}
	default:
		return nil
	}
	return []stuck.Finding{f}
}
