// Package removal removes finalizers by force: it plans, sends the plan as a dry run,
// saves, writes and verifies.
//
// Its law: nothing is written that the plan did not list, and nothing without a
// saved copy first. All writes of the program are in apply.go.
package removal

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Consent is what the user has agreed to.
type Consent struct {
	// OverrideVerdict goes on although something could be fixed, is being
	// worked on, or is not understood.
	OverrideVerdict bool
	// AcceptLeaks accepts that external or unknown resources are left behind.
	AcceptLeaks bool
	// AcceptDataLoss accepts that data is lost.
	AcceptDataLoss bool
	// StrandContent finalizes a namespace although it may still have content.
	StrandContent bool
	// Only narrows the removal to these finalizers.
	Only []string
}

// Plan is what would be done, and what would not.
type Plan struct {
	Cluster Cluster
	// Steps go leaf first: what others wait for comes before them.
	Steps    []Step
	Refusals []Refusal
	// Skipped are targets for which nothing is to be done, as after a run that was
	// interrupted. They do not keep the others from being done.
	Skipped []Refusal
	// Events are the Events that are posted about it.
	Events []PlannedEvent
}

// Step is one write to one object.
type Step struct {
	Object stuck.Object
	// Finalizers are those to be removed from metadata.finalizers, and Spec
	// those from a Namespace's spec.finalizers.
	Finalizers     []string
	SpecFinalizers []string
	Verdict        stuck.Verdict
	// Cause is what the verdict Blocked comes from.
	Cause string
	Costs []stuck.Cost
	// Overrides are the flags without which the step would be refused.
	Overrides []string
	// Height is how many steps have to come before it, one after another.
	Height int
}

// FinalizesNamespace reports whether the step finalizes a namespace without its
// controller.
func (s Step) FinalizesNamespace() bool {
	return slices.Contains(s.SpecFinalizers, string(corev1.FinalizerKubernetes))
}

func (s Step) allFinalizers() []string { return slices.Concat(s.SpecFinalizers, s.Finalizers) }

// NewPlan plans the removal of the finalizers that block the targets. Objects that only
// wait for others are left alone: once the others are deleted, they are too.
func NewPlan(targets []*stuck.Diagnosis, known *catalog.Catalog, consent Consent) Plan {
	p := planner{consent: consent, catalog: known, height: map[*stuck.Diagnosis]int{}, added: map[*stuck.Diagnosis]bool{}}
	for _, d := range targets {
		if d.Object.IsNamespace() {
			before := len(p.plan.Steps) + len(p.plan.Refusals)
			p.addDependencies(d)
			if len(p.plan.Steps)+len(p.plan.Refusals) == before {
				p.refuseStuckNamespace(d)
			}
			continue
		}
		p.add(d, 0, true)
	}
	if len(p.plan.Steps) == 0 { // then that is the answer
		p.plan.Refusals, p.plan.Skipped = append(p.plan.Refusals, p.plan.Skipped...), nil
	}
	return p.plan
}

type planner struct {
	plan    Plan
	consent Consent
	catalog *catalog.Catalog
	height  map[*stuck.Diagnosis]int
	added   map[*stuck.Diagnosis]bool
}

// addDependencies adds what a diagnosis waits for, and then itself; it returns its
// height. An object that waits for itself is not waited for twice.
func (p *planner) addDependencies(d *stuck.Diagnosis) int {
	if height, ok := p.height[d]; ok {
		return height
	}
	p.height[d] = 0
	height := 0
	for _, w := range d.WaitsFor {
		height = max(height, p.addDependencies(w)+1)
	}
	p.height[d] = height
	p.add(d, height, false)
	return height
}

func (p *planner) add(d *stuck.Diagnosis, height int, named bool) {
	if p.added[d] {
		return // it is named twice, or holds what is named too
	}
	p.added[d] = true
	if r, refused := refuseUnwritable(d.Object); refused {
		p.refuse(r)
		return
	}
	step := Step{Object: d.Object, Height: height}
	step.Finalizers, step.SpecFinalizers = p.chooseFinalizers(d)
	chosen := step.allFinalizers()
	if len(chosen) == 0 {
		if named {
			p.nothingToRemove(d)
		}
		return
	}
	step.Verdict, step.Costs = d.VerdictFor(chosen), d.CostOf(chosen)
	step.Cause = blockingCause(d, step.Verdict)
	if p.permit(d, &step) {
		p.plan.Steps = append(p.plan.Steps, step)
	}
}

// refuseUnwritable refuses an object of which nothing can be removed, whatever is
// consented to.
func refuseUnwritable(o stuck.Object) (Refusal, bool) {
	r := Refusal{Object: o}
	switch {
	case !o.Deleting():
		r.Reason = "it is not being deleted, so there is nothing to force"
		r.Fix = stuck.Step{Action: stuck.ActionCheck, Description: "see which finalizers it has", Command: explainCommand(o)}
	case o.NamespaceMissing:
		r.Reason = "its namespace no longer exists, so it cannot be written"
		r.Fix = stuck.Step{Action: stuck.ActionChange, Description: "recreate the namespace, then run this command again", Command: stuck.Shellf("kubectl create namespace %s", o.Namespace)}
	case o.IsOutOfScope():
		r.Reason = "it was stored when its CustomResourceDefinition had another scope, so no request reaches it"
		r.Fix = stuck.Step{Action: stuck.ActionCheck, Description: "see how it can be reached again", Command: explainCommand(o)}
	case o.UID == "":
		r.Reason = "it has no uid, so it cannot be distinguished from another object with its name"
		r.Fix = stuck.Step{Action: stuck.ActionChange, Description: "its API server sets none; remove the finalizers by hand", Command: o.Command("edit")}
	default:
		return Refusal{}, false
	}
	return r, true
}

// UnmatchedFinalizers are the finalizers among some names that neither the targets nor
// what they wait for carry.
func UnmatchedFinalizers(targets []*stuck.Diagnosis, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(targets, func(t *stuck.Diagnosis) bool {
			return slices.ContainsFunc(t.All(), func(d *stuck.Diagnosis) bool {
				return slices.Contains(d.Object.AllFinalizers(), name)
			})
		})
	})
}

// chooseFinalizers picks the finalizers that block the object themselves. Those that only
// wait for other objects are removed by their controllers when the others are
// deleted, so they are picked only by name.
func (p *planner) chooseFinalizers(d *stuck.Diagnosis) (finalizers, spec []string) {
	pick := func(name string) bool {
		if len(p.consent.Only) > 0 {
			return slices.Contains(p.consent.Only, name)
		}
		return !onlyWaitsForObjects(d, name)
	}
	for _, name := range d.Object.Finalizers {
		if pick(name) {
			finalizers = append(finalizers, name)
		}
	}
	for _, name := range d.Object.SpecFinalizers {
		isKubernetes := name == string(corev1.FinalizerKubernetes)
		if isKubernetes && p.consent.StrandContent || !isKubernetes && pick(name) {
			spec = append(spec, name)
		}
	}
	return finalizers, spec
}

// onlyWaitsForObjects reports whether all that is known of a finalizer is what it waits for.
func onlyWaitsForObjects(d *stuck.Diagnosis, finalizer string) bool {
	waits := false
	for _, f := range d.Findings {
		if slices.Contains(f.Explains, finalizer) {
			if !f.IsLink() {
				return false
			}
			waits = true
		}
	}
	return waits
}

func (p *planner) nothingToRemove(d *stuck.Diagnosis) {
	switch {
	case len(p.consent.Only) > 0:
		p.skip(d.Object, "it has none of the finalizers that were named", stuck.Step{Action: stuck.ActionChange, Description: "name one of: " + strings.Join(d.Object.Finalizers, ", ")})
	case len(d.WaitsFor) > 0:
		p.skip(d.Object, fmt.Sprintf("it only waits for %s", refList(d.WaitsFor)), stuck.Step{Action: stuck.ActionChange, Description: "name what it waits for; it is deleted after that"})
	default:
		p.skip(d.Object, "it has no finalizer that could be removed", stuck.Step{Action: stuck.ActionCheck, Description: "see what blocks it", Command: explainCommand(d.Object)})
	}
}

// refuseStuckNamespace refuses a namespace in which there is nothing to remove, and which
// is stuck all the same: deleting it is the work of the namespace controller. Where no
// cause is known, an earlier run has done all there is to do.
func (p *planner) refuseStuckNamespace(d *stuck.Diagnosis) {
	hasReason := slices.ContainsFunc(d.Findings, func(f stuck.Finding) bool { return !f.IsLink() && f.Verdict != stuck.Progressing })
	if !hasReason && len(d.WaitsFor) == 0 {
		return
	}
	r := verdictRefusal(d, d.Verdict, FlagStrandContent)
	r.Reason = "no object in it has a finalizer that could be removed; " + r.Reason
	p.refuse(r)
}

func refList(ds []*stuck.Diagnosis) string {
	if len(ds) > stuck.MaxUngrouped {
		return fmt.Sprintf("%d objects, such as %s", len(ds), ds[0].Object.Ref())
	}
	var out []string
	for _, d := range ds {
		out = append(out, d.Object.Ref())
	}
	return strings.Join(out, ", ")
}
