package cause

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// missingBySpec is what the spec of an object names and does not exist, where the catalog
// does not say what the controller needs. A controller that runs is needed: without one,
// nothing fails for want of an object.
func missingBySpec(view *cluster.View, w controller.Controller) []stuck.Finding {
	o := w.Object
	if stuck.IsBuiltInGroup(o.Type.Group) || o.Type.IsSecret() || catalogSaysNeeds(w) || len(controller.RunningCandidates(view, w)) == 0 {
		return nil
	}
	content, ok := kit.Content(view, o)
	if !ok {
		return nil
	}
	refs := kit.SpecReferences(view, o, content)
	if len(refs) > kit.MaxSpecReferences {
		view.AddGaps(stuck.Gap{
			Source: "what the spec of " + o.RefInNamespace() + " names",
			Error:  fmt.Sprintf("of %d objects only the first %d were looked up", len(refs), kit.MaxSpecReferences),
		})
		refs = refs[:kit.MaxSpecReferences]
	}
	var out []stuck.Finding
	for _, ref := range refs {
		if !view.Metadata(ref.Target.Type, ref.Target.Namespace, ref.Target.Name).Absent() {
			continue
		}
		line, quoted := errorNaming(view, o, ref.Target.Name)
		if quoted || isInput(ref) {
			out = append(out, specReferenceFinding(view, w, ref, line))
		}
	}
	return out
}

// catalogSaysNeeds reports whether the catalog names what the controller needs: then the
// other references of the spec matter to something else.
func catalogSaysNeeds(w controller.Controller) bool {
	m := w.CatalogMatch
	return len(m.Entries) == 1 && !m.OtherType && len(m.Entries[0].Needs) > 0
}

// isInput reports whether a reference is to what a controller reads, and not to what it
// creates and deletes itself, whose absence is what a deletion is to end in.
func isInput(ref kit.SpecReference) bool {
	kind := ref.Target.Type.Kind
	if (kind == "Secret" || kind == "ConfigMap") && slices.ContainsFunc(strings.Split(ref.Field, "."), namesOutput) {
		return false
	}
	return slices.ContainsFunc([]string{"Secret", "ConfigMap", "Config", "Provider", "Store", "Issuer", "Connection", "Credentials", "Class", "Project"}, func(suffix string) bool {
		return strings.HasSuffix(kind, suffix)
	})
}

// outputWords are words in the names of fields for what a controller writes, such as
// writeConnectionSecretToRef, outputSecretRef, and name in target or in secret.create.
var outputWords = regexp.MustCompile(`^(write|output|target|destination|connection|create|generate|publish|result|export)|Output|Generated|Published|Created`)

// namesOutput reports whether a part of a field's path may stand for what the controller
// writes. Some mean inputs by such words: no error that names the object tells them apart.
func namesOutput(part string) bool { return outputWords.MatchString(part) }

func specReferenceFinding(view *cluster.View, w controller.Controller, ref kit.SpecReference, quote string) stuck.Finding {
	f := stuck.Finding{
		Message:   ref.Target.RefInNamespace() + " does not exist",
		BlockedBy: ref.Target.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Evidence:  []string{fmt.Sprintf("%s of the object names %s, which does not exist", ref.Field, ref.Target.Ref())},
		OnForce:   kit.CostWithoutController(w),
	}
	if quote == "" {
		quote = "its controller runs, and may need it to delete the object"
	} else {
		f.Certainty = stuck.Confirmed
	}
	evidence, steps := resolutionSteps(view, w.Object, w.Finalizer, catalog.Need{}, ref.Target)
	f.Evidence, f.Steps = slices.Concat(f.Evidence, []string{quote}, evidence), steps
	return f
}
