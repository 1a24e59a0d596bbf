package cmd

import (
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// print prints the diagnoses in the format that was asked for.
func (s explainScreens) print(diagnoses []*stuck.Diagnosis) error {
	out := s.program.Streams.Out
	switch s.output.chosen {
	case "":
		return s.printText(diagnoses, out)
	case "dot":
		return report.Dot(out, diagnoses)
	case "mermaid":
		return report.Mermaid(out, diagnoses)
	}
	if isReport(s.output.chosen) {
		return printReport(out, s.output.chosen, s.report(diagnoses))
	}
	if s.several {
		list := report.NewExplanationList(diagnoses, s.view.AllGaps())
		return s.output.printDocument(&list, out)
	}
	if len(diagnoses) == 0 { // it was not found, and that is to be ignored
		return nil
	}
	explanation := report.NewExplanation(diagnoses[0], s.view.AllGaps())
	return s.output.printDocument(&explanation, out)
}

// report is what is found out about all objects, with the forced way behind the steps of their causes as on the screen.
func (s explainScreens) report(diagnoses []*stuck.Diagnosis) report.Report {
	r := report.NewReport("explain", diagnoses, s.view.AllGaps(), s.source.Now())
	for _, g := range stuck.GroupSimilar(diagnoses) {
		r.AddForceStep(g.First(), s.forceStep(g.First()))
	}
	return r
}

// printText prints a screen for each object that is being deleted, and one for many that are
// similar, with a rule between two, and then a line for each that is not.
func (s explainScreens) printText(diagnoses []*stuck.Diagnosis, out io.Writer) error {
	if !s.several {
		for _, d := range diagnoses {
			return report.ExplanationText(out, s.screen(stuck.Group{d}))
		}
		return nil
	}
	var deleted, living []*stuck.Diagnosis
	for _, d := range diagnoses {
		if d.Object.NeedsVerdict() {
			deleted = append(deleted, d)
		} else {
			living = append(living, d)
		}
	}
	for i, g := range stuck.GroupSimilar(deleted) {
		if i > 0 {
			fmt.Fprint(out, rule)
		}
		if err := report.ExplanationText(out, s.screen(g)); err != nil {
			return err
		}
	}
	if len(deleted) > 0 && len(living) > 0 {
		fmt.Fprint(out, rule)
	}
	return report.NotDeletedText(out, living, s.program.width)
}

// rule stands between two screens.
const rule = "\n---\n\n"

// screen is what is printed of one object, which stands for those that are similar.
func (s explainScreens) screen(g stuck.Group) report.Screen {
	d := g.First()
	screen := report.Screen{
		Root: d, Similar: g[1:], Gaps: s.view.AllGaps(), Now: s.source.Now(), Width: s.program.width,
		ListableTypes: countListable(s.served.types), Force: s.forceStep(d),
	}
	if d.Object.IsNamespace() && d.Object.Deleting() {
		screen.Conditions, screen.Remaining = s.namespaceConditions(d.Object.Name)
	}
	return screen
}

func countListable(types []stuck.Type) int {
	n := 0
	for _, t := range types {
		if t.Listable {
			n++
		}
	}
	return n
}

// namespaceConditions are the conditions of a namespace, which its diagnosis has read, and
// what they say is left in it.
func (s explainScreens) namespaceConditions(name string) ([]metav1.Condition, map[schema.GroupResource]int) {
	namespace := s.view.Namespace(name)
	if !namespace.Found() {
		return nil, nil
	}
	conditions := namespace.Value.Status.Conditions
	out := make([]metav1.Condition, 0, len(conditions))
	for _, c := range conditions {
		out = append(out, metav1.Condition{Type: string(c.Type), Status: metav1.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message})
	}
	return out, apitext.ParseNamespaceConditions(conditions).Remaining
}

// forceStep is the command that removes the finalizers by force, with the flags that its plan
// needs, where no controller is left to finish a deletion. An object that only waits for others
// is unblocked by removing theirs.
func (s explainScreens) forceStep(d *stuck.Diagnosis) stuck.Step {
	if d.Verdict != stuck.ControllerGone {
		return stuck.Step{}
	}
	targets := []*stuck.Diagnosis{d}
	flags, ok := s.forceFlags(targets)
	if !ok {
		if targets = orphans(d); len(targets) == 0 || len(targets) > stuck.MaxUngrouped {
			return stuck.Step{}
		}
		if flags, ok = s.forceFlags(targets); !ok {
			return stuck.Step{}
		}
	}
	args := []string{"finalizers", "force-remove"}
	for _, target := range targets {
		args = append(args, target.Object.Ref())
	}
	if namespace := targets[0].Object.Namespace; namespace != "" {
		args = append(args, "-n", namespace)
	}
	return stuck.Step{
		Action:      stuck.ActionForce,
		Description: "last resort, if no controller can remove the finalizers: remove them by force; the dry run shows the plan",
		Command:     stuck.Command("", slices.Concat(args, []string{"--dry-run=server"}, flags)...),
	}
}

// forceFlags are the flags without which a removal would be refused, and whether it can be
// done with them.
func (s explainScreens) forceFlags(targets []*stuck.Diagnosis) (flags []string, ok bool) {
	plan := removal.NewPlan(targets, s.catalog, removal.Consent{OverrideVerdict: true, AcceptLeaks: true, AcceptDataLoss: true})
	for _, step := range plan.Steps {
		for _, flag := range step.Overrides {
			if !slices.Contains(flags, flag) {
				flags = append(flags, flag)
			}
		}
	}
	return flags, len(plan.Steps) > 0 && len(plan.Refusals) == 0
}

// orphans are the objects of one namespace for which an object waits and whose controller is
// gone, nothing where they are in several namespaces: one command cannot name them.
func orphans(root *stuck.Diagnosis) []*stuck.Diagnosis {
	var out []*stuck.Diagnosis
	for _, d := range root.All()[1:] {
		if !slices.ContainsFunc(d.Findings, func(f stuck.Finding) bool { return f.Verdict == stuck.ControllerGone }) {
			continue
		}
		if len(out) > 0 && out[0].Object.Namespace != d.Object.Namespace {
			return nil
		}
		out = append(out, d)
	}
	return out
}
