package cause

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FinalizerSuperseded is a finalizer that a healthy controller does not remove, because
// only earlier releases set and removed it. The catalog knows it of some (obsolete); of
// others, what the controller did with similar objects shows it.
var FinalizerSuperseded = kit.Cause{
	ID:    "finalizer-superseded",
	Title: "The controller was upgraded and no longer handles the finalizer",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy and reports no error. The finalizer was set before the controller was upgraded, and objects that were created after the upgrade have another finalizer of the same domain.",
		Why:      "A new release of the controller renamed the finalizer or stopped to use a finalizer, and the release does not remove the old finalizer. The same happens where the new release uses server-side apply: it cannot remove an entry that another field manager set.",
		Fix:      "Look in the release notes of the controller for the finalizer. Roll the controller back to the earlier release until the object is deleted, or remove the old finalizer by force, if the new release did the cleanup under the new finalizer.",
		IfForced: "The cleanup that earlier releases did under this finalizer is skipped. Where the new finalizer was removed, the new release did its own cleanup before.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if len(candidates) != 1 || len(w.Candidates) != 1 || !w.Complete {
			return nil
		}
		if reported, all := kit.ReportedErrors(view, w); len(reported) > 0 || !all || len(controller.ReportedState(view, w)) > 0 {
			return nil // it tries to remove the finalizer, or may
		}
		if m := w.CatalogMatch; len(m.Entries) == 1 && !m.OtherType && m.Entries[0].Obsolete != nil {
			return obsoleteFindings(w, candidates[0], m.Entries[0])
		}
		return supersededFindings(view, w, candidates[0])
	},
}

// obsoleteFindings is that the release of a controller does not remove the finalizer; none
// where its image names an earlier release. An image that names no release proves nothing.
func obsoleteFindings(w controller.Controller, c controller.Candidate, entry catalog.Entry) []stuck.Finding {
	obsolete := *entry.Obsolete
	f := stuck.Finding{
		Message:   fmt.Sprintf("releases of %s from %s do not remove the finalizer", entry.Project, obsolete.Since),
		BlockedBy: c.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Evidence:  []string{"the catalog says of the finalizer: " + obsolete.Text},
		Steps:     []stuck.Step{rollBackStep(c)},
		OnForce:   kit.CostWithoutController(w),
	}
	container, _ := controller.MainContainer(c.Workload, entry.Component)
	running, err := version.ParseGeneric(imageTag(container.Image))
	since, sinceErr := version.ParseGeneric(obsolete.Since)
	switch {
	case err != nil || sinceErr != nil:
		f.Evidence = slices.Insert(f.Evidence, 0, fmt.Sprintf("%s runs, and its image does not tell its release", c.Ref()))
		f.Steps = slices.Insert(f.Steps, 0, stuck.Step{Action: stuck.ActionCheck, Description: "see which release of the controller runs", Command: stuck.Kubectlf(c.Namespace, "describe %s", c.Ref())})
	case running.LessThan(since):
		return nil
	default:
		f.Certainty, f.Verdict, f.HoldsWithoutProbe = stuck.Confirmed, stuck.ControllerGone, true
		f.Evidence = slices.Insert(f.Evidence, 0, fmt.Sprintf("%s runs image %s", c.Ref(), container.Image))
	}
	if obsolete.Successor != "" {
		f.Evidence = append(f.Evidence, "its successor is finalizer "+obsolete.Successor)
	}
	f.Evidence = append(f.Evidence, w.ClueTexts(c)...)
	return []stuck.Finding{f}
}

// imageTag is the tag of an image, empty where it has none.
func imageTag(image string) string {
	image, _, _ = strings.Cut(image, "@")
	_, tag, _ := strings.Cut(image[strings.LastIndexByte(image, '/')+1:], ":")
	return tag
}
