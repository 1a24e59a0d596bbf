package diagnose

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Objects finds out why the objects are stuck, and why those are that they
// wait for, to the end of every chain. The diagnoses come in the order of the
// objects. The error is that of a canceled context.
func Objects(ctx context.Context, view *cluster.View, entries *catalog.Catalog, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	return diagnoseAll(ctx, view, newControllers(entries), objects)
}

func diagnoseAll(ctx context.Context, view *cluster.View, controllers *controllers, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	all := map[stuck.ObjectKey]*stuck.Diagnosis{}
	view = view.WithSharedProbes(backend.UpdateSelectors)
	for next := objects; len(next) > 0; {
		view = view.ForObjects(next)
		level, err := diagnoseLevel(ctx, view, controllers, next)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, d := range level {
			all[d.Object.Key()] = d
		}
		for _, d := range level {
			next = append(next, undiagnosed(d, all)...)
		}
	}
	linkWaitsFor(all)
	blockWhatWaits(all)
	out := make([]*stuck.Diagnosis, len(objects))
	for i, o := range objects {
		out[i] = all[o.Key()]
	}
	for _, d := range all { // also what an object merely waits for
		d.Conclude()
	}
	return out, nil
}

// undiagnosed are the objects a diagnosis waits for that have none of their own
// yet. It marks them, so that each is diagnosed once.
func undiagnosed(d *stuck.Diagnosis, all map[stuck.ObjectKey]*stuck.Diagnosis) []stuck.Object {
	var out []stuck.Object
	for _, f := range d.Findings {
		for _, o := range f.WaitsFor {
			if _, ok := all[o.Key()]; !ok {
				all[o.Key()] = nil
				out = append(out, o)
			}
		}
	}
	return out
}

func linkWaitsFor(all map[stuck.ObjectKey]*stuck.Diagnosis) {
	for _, d := range all {
		linked := map[*stuck.Diagnosis]bool{}
		for _, f := range d.Findings {
			for _, o := range f.WaitsFor {
				if w := all[o.Key()]; !linked[w] {
					linked[w] = true
					d.WaitsFor = append(d.WaitsFor, w)
				}
			}
		}
		slices.SortFunc(d.WaitsFor, func(a, b *stuck.Diagnosis) int { return stuck.Compare(a.Object, b.Object) })
	}
}

func diagnoseLevel(ctx context.Context, view *cluster.View, controllers *controllers, objects []stuck.Object) ([]*stuck.Diagnosis, error) {
	out := make([]*stuck.Diagnosis, len(objects))
	controllers.chooseRepresentatives(objects)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for i, o := range objects {
		group.Go(func() error {
			out[i] = diagnose(ctx, view, controllers, o)
			return ctx.Err()
		})
	}
	return out, group.Wait()
}

// diagnose looks for every cause in one object, by itself. It is incomplete where the context is canceled.
func diagnose(ctx context.Context, view *cluster.View, controllers *controllers, o stuck.Object) *stuck.Diagnosis {
	if !o.IsStuck(view.Now()) && !o.NamespaceMissing {
		return &stuck.Diagnosis{Object: o, Verdict: stuck.Progressing}
	}
	if unreachable := findUnreachable(view, controllers.prediction, o); len(unreachable) > 0 {
		return stuck.NewDiagnosis(o, unreachable, nil)
	}
	var findings []stuck.Finding
	var openItems []stuck.OpenCause
	if o.IsNamespace() {
		scoped := view.Scoped()
		if ns := scoped.Namespace(o.Name); ns.Found() {
			for _, f := range ns.Value.Spec.Finalizers {
				o.SpecFinalizers = append(o.SpecFinalizers, string(f))
			}
		}
		openItems = append(openItems, openCauses("namespace", scoped)...)
	}
	found, open := findCauses(view, controllers.prediction, o)
	findings, openItems = append(findings, found...), append(openItems, open...)
	known, open := findByEntries(ctx, view, controllers.catalog, o, Causes()...)
	findings, openItems = append(findings, notAlreadyNamed(known, findings)...), append(openItems, open...)
	d := stuck.NewDiagnosis(o, findings, openItems)
	for _, finalizer := range d.Unexplained {
		result := controllers.resultFor(ctx, view, o, finalizer)
		findings, openItems = append(findings, result.findings...), append(openItems, result.open...)
		d.Controllers = append(d.Controllers, result.document...)
	}
	absent, document := absentBehindRejections(ctx, view, controllers, o, findings)
	findings, d.Controllers = append(findings, absent...), append(d.Controllers, document...)
	absent, open, document = absentBehindOthers(ctx, view, controllers, o, findings)
	findings, openItems, d.Controllers = append(findings, absent...), append(openItems, open...), append(d.Controllers, document...)
	findings = withoutRepeatedErrors(findings)
	slices.SortStableFunc(findings, compareWeight)
	explained := stuck.NewDiagnosis(o, findings, openItems)
	explained.Controllers = d.Controllers
	explained.SetKnown(controllers.knownFinalizers(view, o))
	return explained
}

// findUnreachable finds why no request reaches an object: then nothing else can be read of it,
// and whatever its controllers are, they reach it as little.
func findUnreachable(view *cluster.View, prediction Prediction, o stuck.Object) []stuck.Finding {
	if !o.IsOutOfScope() {
		return nil
	}
	if prediction != nil { // its definition may be deleted too
		view = prediction.Present()
	}
	findings := cause.CRDScopeChanged.Find(view.Scoped(), o)
	for i := range findings {
		findings[i].Cause = cause.CRDScopeChanged.ID
	}
	return findings
}

// findCauses looks for the causes that are found from the object and the view.
func findCauses(view *cluster.View, prediction Prediction, o stuck.Object) (findings []stuck.Finding, open []stuck.OpenCause) {
	for _, c := range Causes() {
		if c.Find == nil || !c.Applies(o) || prediction != nil && c.AfterDeletion {
			continue
		}
		scoped := view.Scoped()
		for _, f := range c.Find(scoped, o) {
			f.Cause = c.ID
			findings = append(findings, f)
		}
		open = append(open, openCauses(c.ID, scoped)...)
	}
	if prediction != nil {
		findings = append(findings, prediction.Find(o)...)
	}
	return findings, open
}

func openCauses(cause string, view *cluster.View) []stuck.OpenCause {
	var out []stuck.OpenCause
	for _, gap := range view.Gaps() {
		out = append(out, stuck.OpenCause{Cause: cause, Source: gap.Source, ProbeSkipped: gap.ProbeSkipped})
	}
	return out
}

// compareWeight puts last what merely adds to others, and first what is to be fixed, of that what is proven.
func compareWeight(a, b stuck.Finding) int { return weight(b) - weight(a) }

func weight(f stuck.Finding) int {
	w := f.Urgency()
	if f.Verdict != "" || len(f.WaitsFor) > 0 {
		w += 8
	}
	if f.Verdict == stuck.Blocked {
		w += 4
	}
	return w
}
