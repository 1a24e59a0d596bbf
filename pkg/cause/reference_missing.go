package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ReferenceMissing holds an object whose controller cannot finish without another
// object that does not exist. Which fields name what it needs is the catalog's
// knowledge (needs).
var ReferenceMissing = kit.Cause{
	ID:    "reference-missing",
	Title: "An object that the controller needs to finish does not exist",
	Doc: kit.Doc{
		Symptoms: "The spec of the object names a Secret, a configuration or another object that does not exist. The conditions or events of the object often quote `not found`.",
		Why:      "The controller needs the credentials or the configuration to delete the resource that the object represents. The named object was deleted first, often with the same namespace or by the same `helm uninstall`.",
		Fix:      "Recreate the named object with the same content. The controller then finishes. The API server rejects creation in a namespace that is being deleted: there, use the project's own way to finish without the named object, if the project has one.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ControllerNext: true,
	ByController:   missingBySpec,
	OfOneObject:    true,
	ByEntry: func(view *cluster.View, known kit.KnownFinalizer) []stuck.Finding {
		if len(known.Entry.Needs) == 0 {
			return nil
		}
		content, ok := kit.Content(view, known.Object)
		if !ok {
			return nil
		}
		object := kit.Holder{Object: known.Object, Content: content}
		var out []stuck.Finding
		for _, need := range known.Entry.Needs {
			if !need.Applies(content) {
				continue
			}
			for _, holder := range kit.Follow(view, object, need.Of) {
				out = append(out, missingFindings(view, known, need, holder)...)
			}
		}
		return out
	},
}

// missingFindings are that something does not exist which the controller needs, and which the object, or another that
// it names, holds the name of.
func missingFindings(view *cluster.View, known kit.KnownFinalizer, need catalog.Need, holder kit.Holder) []stuck.Finding {
	var out []stuck.Finding
	for _, ref := range holder.References(view, need.Link) {
		target, ok := holder.Target(view, ref)
		isServed := target.Type.Version != ""
		switch {
		case !ok, need.TypeOnly && isServed:
		case !isServed, view.Metadata(target.Type, target.Namespace, ref.Name).Absent():
			f := missingFinding(view, known, need, target)
			f.Evidence = append([]string{namesText(known.Object, holder.Object, ref, target)}, f.Evidence...)
			out = append(out, f)
		}
	}
	return out
}

func missingFinding(view *cluster.View, known kit.KnownFinalizer, need catalog.Need, target stuck.Object) stuck.Finding {
	f := stuck.Finding{
		Message:   target.RefInNamespace() + " does not exist",
		BlockedBy: target.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{known.Finalizer},
		Evidence: []string{
			fmt.Sprintf("the controller (%s) needs it %s", known.Entry.Project, need.Purpose),
		},
		OnForce: stuck.UnknownCost(known.Finalizer),
	}
	named := target.Name
	if target.Type.Version == "" {
		named = target.Type.Kind
		f.Message = "the API server does not serve the type of " + target.Ref()
	}
	if line, ok := errorNaming(view, known.Object, named); ok {
		f.Certainty, f.Evidence = stuck.Confirmed, append(f.Evidence, line)
	}
	evidence, steps := resolutionSteps(view, known.Object, known.Finalizer, need, target)
	f.Evidence, f.Steps = append(f.Evidence, evidence...), steps
	return f
}

// namesText says where the object, or another that it names, names what the controller needs.
func namesText(object, holder stuck.Object, ref catalog.Reference, target stuck.Object) string {
	what := ", which does not exist"
	if target.Type.Version == "" {
		what = ", whose type the API server does not serve"
	}
	switch {
	case ref.NamedBy == "":
		return "the controller always uses " + target.Ref() + what
	case holder.Key() == object.Key():
		return ref.NamedBy + " of the object names " + target.Ref() + what
	}
	return fmt.Sprintf("%s of %s names %s%s", ref.NamedBy, holder.Ref(), target.Ref(), what)
}
