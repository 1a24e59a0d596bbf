package diagnose

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// needsControllerNext reports whether what a finding says is followed by work of the controller: an
// object that has to be deleted first, or what has to be mended for the controller.
func needsControllerNext(f stuck.Finding) bool {
	return len(f.WaitsFor) > 0 || !endsByHand(f) && slices.ContainsFunc(Causes(), func(c kit.Cause) bool { return c.ID == f.Cause && c.ControllerNext })
}

// endsByHand reports whether all that a finding advises to change is to remove the finalizers by hand: no controller would.
func endsByHand(f stuck.Finding) bool {
	changes := slices.DeleteFunc(slices.Clone(f.Steps), func(s stuck.Step) bool { return s.Action == stuck.ActionCheck })
	return len(changes) > 0 && !slices.ContainsFunc(changes, func(s stuck.Step) bool { return s.Action != stuck.ActionForce })
}

// absentBehindOthers are the controllers that are absent of the finalizers that other findings
// explain: when what these say is done, nobody is there to go on. A controller that could
// not be looked for is an open cause.
func absentBehindOthers(ctx context.Context, view *cluster.View, controllers *controllers, o stuck.Object, others []stuck.Finding) (absent []stuck.Finding, open []stuck.OpenCause, document []stuck.Controller) {
	seen, rejections := map[string]bool{}, rejectionsIn(others)
	for _, other := range others {
		if !needsControllerNext(other) {
			continue
		}
		for _, finalizer := range other.Explains {
			if seen[finalizer] || !controllers.isRemovedByWorkload(view, o, finalizer) {
				continue
			}
			seen[finalizer] = true
			result := controllers.resultFor(ctx, view, o, finalizer)
			found := absentControllers(result.findings, rejections)
			for i := range found {
				found[i].OnForce = graverCost(other.OnForce, found[i].OnForce)
			}
			if absent = append(absent, found...); len(found) > 0 {
				document = append(document, result.document...)
			}
			open = append(open, slices.DeleteFunc(slices.Clone(result.open), func(c stuck.OpenCause) bool {
				return c.Cause != controllerOf(finalizer) && !slices.Contains(controllerAbsentCauses, c.Cause)
			})...)
		}
	}
	return absent, open, document
}

// graverCost is what another finding says already that a forced removal costs, unless the cost by
// the controller that is absent is graver.
func graverCost(said, absent stuck.Cost) stuck.Cost {
	if absent.Leaves.Rank() > said.Leaves.Rank() && !absent.Unexamined {
		return absent
	}
	return said
}

// isRemovedByWorkload reports whether a workload of the cluster may be what removes a finalizer of the object, by the
// catalog: there is none to look for where a part of Kubernetes or of a cloud does.
func (w *controllers) isRemovedByWorkload(view *cluster.View, o stuck.Object, finalizer string) bool {
	subject := catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: view.APIGroups()}
	return controller.Controller{CatalogMatch: w.catalog.Lookup(finalizer, subject)}.NonWorkloadRemover() == ""
}

// blockWhatWaits calls blocked what has no controller left to remove a finalizer for which it waits for objects whose
// deletion goes on: to wait is not enough.
func blockWhatWaits(all map[stuck.ObjectKey]*stuck.Diagnosis) {
	for _, d := range all {
		gone, waits := sets.New[string](), sets.New[string]()
		for _, f := range d.Findings {
			if f.Verdict == stuck.ControllerGone {
				gone.Insert(f.Explains...)
			}
		}
		for _, link := range d.Findings {
			if gone.HasAny(link.Explains...) && linksToProgress(all, link) {
				waits.Insert(link.Explains...)
			}
		}
		for i, f := range d.Findings {
			if f.Verdict == stuck.ControllerGone && waits.HasAny(f.Explains...) {
				d.Findings[i].Verdict = stuck.Blocked
			}
		}
	}
}

// linksToProgress reports whether a finding waits, directly or not, for an object whose deletion goes on.
func linksToProgress(all map[stuck.ObjectKey]*stuck.Diagnosis, link stuck.Finding) bool {
	return slices.ContainsFunc(link.WaitsFor, func(o stuck.Object) bool { return slices.ContainsFunc(all[o.Key()].All(), goesOn) })
}

// goesOn reports whether the deletion of an object goes on.
func goesOn(d *stuck.Diagnosis) bool {
	return d.Verdict == stuck.Progressing || slices.ContainsFunc(d.Findings, func(f stuck.Finding) bool { return f.Verdict == stuck.Progressing })
}
