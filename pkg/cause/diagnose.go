package cause

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Diagnose finds out why the objects are stuck, and why those are that they
// wait for, to the end of every chain. The diagnoses come in the order of the
// objects. The error is that of a cancelled context.
func Diagnose(ctx context.Context, see *cluster.View, known *catalog.Catalog, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	all := map[key]*stuck.Diagnosis{}
	owners := newOwners(known)
	for next := objects; len(next) > 0; {
		level, err := diagnoseLevel(ctx, see, owners, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, d := range level {
			all[keyOf(d.Object)] = d
		}
		for _, d := range level {
			next = append(next, notYet(d, all)...)
		}
	}
	link(all)
	out := make([]*stuck.Diagnosis, len(objects))
	for i, o := range objects {
		out[i] = all[keyOf(o)]
		out[i].Conclude()
	}
	return out, nil
}

// key tells objects apart: by uid, or by name where a server gives none.
type key struct{ uid, place string }

func keyOf(o stuck.Object) key {
	if o.UID != "" {
		return key{uid: string(o.UID)}
	}
	return key{place: o.Namespace + " " + o.Type.String() + "/" + o.Name}
}

// notYet are the objects a diagnosis waits for that have none of their own
// yet. It marks them, so that each is diagnosed once.
func notYet(d *stuck.Diagnosis, all map[key]*stuck.Diagnosis) []stuck.Object {
	var out []stuck.Object
	for _, f := range d.Findings {
		for _, o := range f.WaitsFor {
			if _, ok := all[keyOf(o)]; !ok {
				all[keyOf(o)] = nil
				out = append(out, o)
			}
		}
	}
	return out
}

func link(all map[key]*stuck.Diagnosis) {
	for _, d := range all {
		linked := map[*stuck.Diagnosis]bool{}
		for _, f := range d.Findings {
			for _, o := range f.WaitsFor {
				if w := all[keyOf(o)]; !linked[w] {
					linked[w] = true
					d.WaitsFor = append(d.WaitsFor, w)
				}
			}
		}
		slices.SortFunc(d.WaitsFor, func(a, b *stuck.Diagnosis) int { return stuck.Compare(a.Object, b.Object) })
	}
}

func diagnoseLevel(ctx context.Context, see *cluster.View, owners *owners, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	out := make([]*stuck.Diagnosis, len(objects))
	owners.represent(objects)
	see.Represent(objects)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.InFlight)
	for i, o := range objects {
		group.Go(func() error {
			out[i] = diagnose(see, owners, o)
			return ctx.Err()
		})
	}
	return out, group.Wait()
}

// diagnose looks for every cause in one object, by itself.
func diagnose(see *cluster.View, owners *owners, o stuck.Object) *stuck.Diagnosis {
	if !o.Stuck(see.Now()) && !o.Ghost {
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
		if c.Look == nil || !c.Applies(o) {
			continue
		}
		own := see.Apart()
		for _, f := range c.Look(own, o) {
			f.Cause = c.ID
			findings = append(findings, f)
		}
		open = append(open, opens(c.ID, own)...)
	}
	d := stuck.Explain(o, findings, open)
	for _, finalizer := range d.Unexplained {
		owned := owners.of(see, o, finalizer)
		findings, open = append(findings, owned.findings...), append(open, owned.open...)
		d.Owners = append(d.Owners, owned.document...)
	}
	slices.SortStableFunc(findings, byWeight)
	explained := stuck.Explain(o, findings, open)
	explained.Owners = d.Owners
	return explained
}

func opens(cause string, see *cluster.View) []stuck.Open {
	var out []stuck.Open
	for _, gap := range see.Gaps() {
		out = append(out, stuck.Open{Cause: cause, Source: gap.Source})
	}
	return out
}

// byWeight puts last what merely adds to others, and first what is proven and
// what is to be fixed.
func byWeight(a, b stuck.Finding) int { return weight(b) - weight(a) }

func weight(f stuck.Finding) int {
	w := 0
	if f.Verdict != "" || len(f.WaitsFor) > 0 {
		w += 4
	}
	if f.Certainty == stuck.Proven {
		w += 2
	}
	if f.Verdict == stuck.Blocked {
		w++
	}
	return w
}
