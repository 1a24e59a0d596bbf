package cause

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Diagnose finds out why the objects are stuck, and why those are that they
// wait for, to the end of every chain. The diagnoses come in the order of the
// objects. The error is that of a cancelled context.
func Diagnose(ctx context.Context, see *cluster.View, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	known := map[types.UID]*stuck.Diagnosis{}
	for next := objects; len(next) > 0; {
		level, err := diagnoseLevel(ctx, see, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, d := range level {
			known[d.Object.UID] = d
		}
		for _, d := range level {
			next = append(next, unknown(d, known)...)
		}
	}
	link(known)
	out := make([]*stuck.Diagnosis, len(objects))
	for i, o := range objects {
		out[i] = known[o.UID]
		out[i].Conclude()
	}
	return out, nil
}

// unknown are the objects a diagnosis waits for that have none of their own
// yet. It marks them as known, so that each is diagnosed once.
func unknown(d *stuck.Diagnosis, known map[types.UID]*stuck.Diagnosis) []stuck.Object {
	var out []stuck.Object
	for _, f := range d.Findings {
		for _, o := range f.WaitsFor {
			if _, ok := known[o.UID]; !ok {
				known[o.UID] = nil
				out = append(out, o)
			}
		}
	}
	return out
}

func link(known map[types.UID]*stuck.Diagnosis) {
	for _, d := range known {
		for _, f := range d.Findings {
			for _, o := range f.WaitsFor {
				if w := known[o.UID]; !slices.Contains(d.WaitsFor, w) {
					d.WaitsFor = append(d.WaitsFor, w)
				}
			}
		}
		slices.SortFunc(d.WaitsFor, func(a, b *stuck.Diagnosis) int { return stuck.Compare(a.Object, b.Object) })
	}
}

func diagnoseLevel(ctx context.Context, see *cluster.View, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	out := make([]*stuck.Diagnosis, len(objects))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.InFlight)
	for i, o := range objects {
		group.Go(func() error {
			out[i] = diagnose(see, o)
			return ctx.Err()
		})
	}
	return out, group.Wait()
}

// diagnose looks for every cause in one object, by itself.
func diagnose(see *cluster.View, o stuck.Object) *stuck.Diagnosis {
	if o.Deleting() && !o.Stuck(see.Now()) {
		return &stuck.Diagnosis{Object: o, Verdict: stuck.Progressing}
	}
	var findings []stuck.Finding
	var open []stuck.Open
	if o.IsNamespace() {
		own := see.Apart()
		if ns := own.Namespace(o.Name); ns.Found() {
			for _, f := range ns.Value.Spec.Finalizers {
				o.SpecFinalizers = append(o.SpecFinalizers, string(f))
			}
		}
		open = append(open, opens("namespace", own)...)
	}
	for _, c := range All() {
		if !c.Applies(o) {
			continue
		}
		own := see.Apart()
		for _, f := range c.Look(own, o) {
			f.Cause = c.ID
			findings = append(findings, f)
		}
		open = append(open, opens(c.ID, own)...)
	}
	slices.SortStableFunc(findings, byWeight)
	return stuck.Explain(o, findings, open)
}

func opens(cause string, see *cluster.View) []stuck.Open {
	var out []stuck.Open
	for _, gap := range see.Gaps() {
		out = append(out, stuck.Open{Cause: cause, Source: gap.Source})
	}
	return out
}

// byWeight puts first what is proven, then what is to be fixed before what is
// merely waited for.
func byWeight(a, b stuck.Finding) int {
	return weight(b) - weight(a)
}

func weight(f stuck.Finding) int {
	w := 0
	if f.Certainty == stuck.Proven {
		w += 2
	}
	if f.Verdict == stuck.Blocked {
		w++
	}
	return w
}
