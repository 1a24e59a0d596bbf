package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
		var out []stuck.Finding
		for _, need := range known.Entry.Needs {
			for _, ref := range references(view, known.Object, need, content) {
				target, missing := missingTarget(view, known.Object, ref)
				if missing && (!need.TypeOnly || target.Type.Version == "") {
					out = append(out, missingFinding(view, known, need, ref, target))
				}
			}
		}
		return out
	},
}

// maxReferences is how many objects are looked up for one need of one object: its
// spec can name thousands, and each costs the API server a request.
const maxReferences = 20

// references are the objects that an object needs, each once. Those beyond
// maxReferences are a gap.
func references(view *cluster.View, o stuck.Object, need catalog.Need, content map[string]any) []catalog.Reference {
	var out []catalog.Reference
	seen := map[catalog.Reference]bool{}
	for _, ref := range need.References(content) {
		if !seen[ref] {
			seen[ref] = true
			out = append(out, ref)
		}
	}
	if len(out) > maxReferences {
		view.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("what %s of %s names", need.Text(), o.RefInNamespace()),
			Error:  fmt.Sprintf("of %d objects only the first %d were looked up", len(out), maxReferences),
		})
		out = out[:maxReferences]
	}
	return out
}

// missingTarget is the object that a reference names, and whether the API server says
// that it does not exist.
func missingTarget(view *cluster.View, o stuck.Object, ref catalog.Reference) (stuck.Object, bool) {
	t, served := view.TypeForKindOrGap(ref.Type.GroupKind())
	target := stuck.Object{Type: t, Name: ref.Name}
	if !served {
		target.Type = unservedType(ref.Type.GroupKind())
		return target, kit.IsValidName(ref.Name) && isDiscovered(view, ref.Type.GroupKind().Group)
	}
	if t.Namespaced {
		target.Namespace = cmp.Or(ref.Namespace, o.Namespace)
	}
	if !kit.IsValidName(ref.Name) || t.Namespaced && !kit.IsValidName(target.Namespace) {
		return stuck.Object{}, false
	}
	return target, view.Metadata(t, target.Namespace, ref.Name).Absent()
}

// isDiscovered reports whether every version of a group could be discovered, so that a
// type which is not served is known not to be.
func isDiscovered(view *cluster.View, group string) bool {
	return !slices.ContainsFunc(view.UndiscoveredGroupVersions(), func(gv cluster.GroupVersion) bool { return gv.Group == group })
}

// unservedType names a type that the API server does not serve.
func unservedType(gk schema.GroupKind) stuck.Type {
	return stuck.Type{Group: gk.Group, Kind: gk.Kind, Resource: strings.ToLower(gk.Kind)}
}

func missingFinding(view *cluster.View, known kit.KnownFinalizer, need catalog.Need, ref catalog.Reference, target stuck.Object) stuck.Finding {
	f := stuck.Finding{
		Message:   target.RefInNamespace() + " does not exist",
		BlockedBy: target.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{known.Finalizer},
		Evidence: []string{
			namesText(ref, target) + ", which does not exist",
			fmt.Sprintf("the controller (%s) needs it %s", known.Entry.Project, need.Purpose),
		},
		OnForce: stuck.UnknownCost(known.Finalizer),
	}
	named := target.Name
	if target.Type.Version == "" {
		named = target.Type.Kind
		f.Message = "the API server does not serve the type of " + target.Ref()
		f.Evidence[0] = namesText(ref, target) + ", whose type the API server does not serve"
	}
	if line, ok := errorNaming(view, known.Object, named); ok {
		f.Certainty, f.Evidence = stuck.Confirmed, append(f.Evidence, line)
	}
	evidence, steps := resolutionSteps(view, known.Object, known.Finalizer, need, target)
	f.Evidence, f.Steps = append(f.Evidence, evidence...), steps
	return f
}

// namesText says where the object names what it needs.
func namesText(ref catalog.Reference, target stuck.Object) string {
	if ref.NamedBy == "" {
		return "the controller always uses " + target.Ref()
	}
	return ref.NamedBy + " of the object names " + target.Ref()
}
