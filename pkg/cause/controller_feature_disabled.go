package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ControllerFeatureDisabled is a controller that runs with a setting with which it does not handle the finalizer. Which settings
// do that is the catalog's knowledge (enabledBy).
var ControllerFeatureDisabled = kit.Cause{
	ID:    "controller-feature-disabled",
	Title: "The controller runs with the feature disabled that removes the finalizer",
	Doc: kit.Doc{
		Symptoms: "The controller is healthy and reports no error. Its command line or its environment disables the feature that sets and removes the finalizer, or does not enable the feature.",
		Why:      "The feature was enabled when the finalizer was set, and was disabled later: by a change of the configuration, a new installation with default values, or an upgrade.",
		Fix:      "Enable the feature until no object has the finalizer.",
		IfForced: "The cleanup by the controller is skipped: the resources that the controller would have deleted are left behind.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		candidates := controller.RunningCandidates(view, w)
		if len(candidates) != 1 || len(w.Candidates) != 1 || !w.Complete {
			return nil
		}
		c := candidates[0]
		disabled := controller.DisabledSettings(c.Workload, w)
		if len(disabled) == 0 || kit.HasWrittenSinceDeletion(view, w, c) {
			return nil
		}
		if reported, all := kit.ReportedErrors(view, w); len(reported) > 0 || !all {
			return nil // it tries to remove the finalizer, or may
		}
		f := stuck.Finding{
			Message:   fmt.Sprintf("%s does not handle the finalizer: %s", c.RefInNamespace(), disabled[0].Found),
			BlockedBy: c.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			OnForce:   kit.CostWithoutController(w),
		}
		for _, d := range disabled {
			f.Evidence = append(f.Evidence,
				fmt.Sprintf("container %s of %s: %s", d.Container, c.Ref(), d.Found),
				fmt.Sprintf("%s handles the finalizer only with %s", w.CatalogMatch.Entries[0].Project, d.Text()))
			f.Steps = append(f.Steps, enableStep(c, d))
		}
		f.Evidence = slices.Concat(f.Evidence, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c))
		return []stuck.Finding{f}
	},
}

// enableStep sets a setting of a controller so that it handles the finalizer.
func enableStep(c controller.Candidate, d controller.DisabledSetting) stuck.Step {
	step := stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("set %s in %s until no object has the finalizer; what installed %s, such as a Helm chart, may have a value for it", d.Wanted(), c.Ref(), c.Ref()),
		Command:     stuck.Kubectlf(c.Namespace, "edit %s", c.Ref()),
	}
	if d.Env != "" {
		step.Command = stuck.Kubectlf(c.Namespace, "set env %s --containers=%s %s", c.Ref(), d.Container, d.Wanted())
	}
	return step
}
