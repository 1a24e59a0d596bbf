// Package removal removes finalizers by force: it plans, proves, saves, writes
// and verifies.
//
// Its law: nothing is written that the plan did not list, and nothing without a
// saved copy first. All writes of the program are in apply.go.
package removal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Consent is what the user has agreed to.
type Consent struct {
	// OverrideVerdict goes on although something could be fixed, is being
	// worked on, or is not understood.
	OverrideVerdict bool
	// AcceptLeaks accepts that resources outside the cluster, or nobody knows
	// what, stay behind.
	AcceptLeaks bool
	// AcceptDataLoss accepts that data is lost.
	AcceptDataLoss bool
	// StrandContent ends a namespace although it may still hold something.
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
	// Skipped are targets for which nothing is to be done, as after a run that
	// was interrupted. They stand in nobody's way.
	Skipped []Refusal
	// Notices are the Events that are posted about it.
	Notices []Notice
}

// Step is one write to one object.
type Step struct {
	Object stuck.Object
	// Finalizers are those to be removed from metadata.finalizers, and Spec
	// those from a Namespace's spec.finalizers.
	Finalizers []string
	Spec       []string
	Verdict    stuck.Verdict
	// Cause is what the verdict Blocked comes from.
	Cause string
	Costs []stuck.Cost
	// Overrides are the flags without which the step would be refused.
	Overrides []string
	// Height is how many steps have to come before it, one after another.
	Height int
}

// Refusal is something that is not done, and the way past it.
type Refusal struct {
	Object stuck.Object
	Why    string
	Way    string
}

// finalizerKubernetes is the namespace controller's own, which goes last.
const finalizerKubernetes = "kubernetes"

// Make plans the removal of what holds the targets. Objects that only wait for
// others are left to whoever waits: once the others are gone, they follow.
func Make(targets []*stuck.Diagnosis, known *catalog.Catalog, consent Consent) Plan {
	p := planner{consent: consent, known: known, height: map[*stuck.Diagnosis]int{}, added: map[*stuck.Diagnosis]bool{}}
	for _, d := range targets {
		if d.Object.IsNamespace() {
			before := len(p.plan.Steps) + len(p.plan.Refusals)
			p.below(d)
			if len(p.plan.Steps)+len(p.plan.Refusals) == before {
				p.leftToController(d)
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
	known   *catalog.Catalog
	height  map[*stuck.Diagnosis]int
	added   map[*stuck.Diagnosis]bool
}

// below adds what a diagnosis waits for, and then itself; it returns its
// height. An object that waits for itself is not waited for twice.
func (p *planner) below(d *stuck.Diagnosis) int {
	if height, ok := p.height[d]; ok {
		return height
	}
	p.height[d] = 0
	height := 0
	for _, w := range d.WaitsFor {
		height = max(height, p.below(w)+1)
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
	if !d.Object.Deleting() {
		p.refuse(d, "is not being deleted", "if it is to go, delete it first: kubectl delete "+inPlace(d.Object))
		return
	}
	if d.Object.Ghost {
		p.refuse(d, "is in a namespace that no longer exists, where nothing can be written",
			"create the namespace again, then run this again: kubectl create namespace "+d.Object.Namespace)
		return
	}
	if d.Object.UID == "" {
		p.refuse(d, "has no uid, so it cannot be told from another object of its name",
			"its API server gives none; take the finalizers off by hand: kubectl edit "+inPlace(d.Object))
		return
	}
	step := Step{Object: d.Object, Height: height}
	step.Finalizers, step.Spec = p.choose(d)
	chosen := slices.Concat(step.Spec, step.Finalizers)
	if len(chosen) == 0 {
		if named {
			p.nothingToRemove(d)
		}
		return
	}
	step.Verdict, step.Costs = d.VerdictOn(chosen), d.CostOf(chosen)
	step.Cause = blockedBy(d, step.Verdict)
	if p.permitted(d, &step) {
		p.plan.Steps = append(p.plan.Steps, step)
	}
}

// Strangers are the finalizers among some names that neither the targets nor
// what they wait for carry.
func Strangers(targets []*stuck.Diagnosis, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(targets, func(t *stuck.Diagnosis) bool {
			return slices.ContainsFunc(t.All(), func(d *stuck.Diagnosis) bool {
				return d.Object.HasFinalizer(name) || slices.Contains(d.Object.SpecFinalizers, name)
			})
		})
	})
}

// choose picks the finalizers that hold the object themselves. Those that only
// wait for other objects go by themselves when the others are gone, unless
// they are asked for by name.
func (p *planner) choose(d *stuck.Diagnosis) (finalizers, spec []string) {
	pick := func(name string) bool {
		if len(p.consent.Only) > 0 {
			return slices.Contains(p.consent.Only, name)
		}
		return !onlyWaits(d, name)
	}
	for _, name := range d.Object.Finalizers {
		if pick(name) {
			finalizers = append(finalizers, name)
		}
	}
	for _, name := range d.Object.SpecFinalizers {
		if name == finalizerKubernetes && p.consent.StrandContent || name != finalizerKubernetes && pick(name) {
			spec = append(spec, name)
		}
	}
	return finalizers, spec
}

// onlyWaits says whether all that is known of a finalizer is what it waits for.
func onlyWaits(d *stuck.Diagnosis, finalizer string) bool {
	waits := false
	for _, f := range d.Findings {
		if slices.Contains(f.Explains, finalizer) {
			if f.Verdict != "" {
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
		p.skip(d, "carries none of the finalizers that were named", "it carries: "+strings.Join(d.Object.Finalizers, ", "))
	case len(d.WaitsFor) > 0:
		p.skip(d, fmt.Sprintf("only waits for %s", names(d.WaitsFor)), "it follows by itself; name what it waits for")
	default:
		p.skip(d, "carries no finalizer that could be removed", "see what holds it: kubectl finalizers explain "+inPlace(d.Object))
	}
}

// leftToController refuses a namespace in which there is nothing to remove, and
// which does not go: its end is the namespace controller's work. Where nothing
// is known to keep it from that, the removal has come to its end before.
func (p *planner) leftToController(d *stuck.Diagnosis) {
	stands := slices.ContainsFunc(d.Findings, func(f stuck.Finding) bool { return f.Verdict != "" && f.Verdict != stuck.Progressing })
	if !stands && len(d.WaitsFor) == 0 {
		return
	}
	p.refuse(d, "holds nothing whose finalizer could be removed"+reason(d, d.Verdict),
		first(d, d.Verdict)+"; to end the namespace without its controller, and strand what it still holds, pass "+FlagStrandContent)
}

func names(ds []*stuck.Diagnosis) string {
	if len(ds) > stuck.Handful {
		return fmt.Sprintf("%d objects, such as %s", len(ds), ds[0].Object.Ref())
	}
	var out []string
	for _, d := range ds {
		out = append(out, d.Object.Ref())
	}
	return strings.Join(out, ", ")
}

func (p *planner) refuse(d *stuck.Diagnosis, why, way string) {
	p.plan.Refusals = append(p.plan.Refusals, Refusal{Object: d.Object, Why: why, Way: way})
}

func (p *planner) skip(d *stuck.Diagnosis, why, way string) {
	p.plan.Skipped = append(p.plan.Skipped, Refusal{Object: d.Object, Why: why, Way: way})
}

// inPlace is an object as the arguments of a command.
func inPlace(o stuck.Object) string {
	if o.Namespace == "" {
		return o.Ref()
	}
	return o.Ref() + " -n " + o.Namespace
}
