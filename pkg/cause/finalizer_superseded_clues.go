package cause

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// supersededFindings is that the current revision of a controller uses another finalizer
// in place of this one, and has removed that from the object: objects created since the
// revision have the other finalizer alone, objects from before have it too, and the object
// does not have it any more. A controller that is slow still has both on the object.
func supersededFindings(view *cluster.View, w controller.Controller, c controller.Candidate) []stuck.Finding {
	since, known := view.RevisionCreated(c.Workload)
	if !known || !w.Object.DeletionTime.After(since) || !wasSetBefore(view, w, since) {
		return nil
	}
	siblings := view.Objects(w.Object.Namespace, w.Object.Type)
	if !siblings.Complete {
		return nil
	}
	for _, successor := range successors(siblings.Items, w.Finalizer, since) {
		if w.Object.HasFinalizer(successor.finalizer) {
			continue
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("%s was upgraded and uses %s in place of the finalizer", c.RefInNamespace(), successor.finalizer),
			BlockedBy: c.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence: slices.Concat([]string{
				fmt.Sprintf("%s, created after the upgrade, has %s and not %s", successor.after.Ref(), successor.finalizer, w.Finalizer),
				fmt.Sprintf("%s, created before the upgrade, has %s too, and the object no longer has it", successor.before.Ref(), successor.finalizer),
				fmt.Sprintf("the current revision of %s was rolled out %s, and the finalizer was set before that", c.Ref(), kit.Ago(view, since)),
			}, w.ClueTexts(c)),
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: fmt.Sprintf("see in its log whether %s still works on the object", c.Ref()), Command: c.LogsCommand()},
				rollBackStep(c),
			},
			OnForce: kit.CostWithoutController(w),
		}}
	}
	return nil
}

// wasSetBefore reports whether every field manager that set the finalizer last wrote the
// object before a time.
func wasSetBefore(view *cluster.View, w controller.Controller, since time.Time) bool {
	setters := view.FinalizerManagers(w.Object, w.Finalizer)
	return len(setters) > 0 && !slices.ContainsFunc(setters, func(m cluster.FieldManager) bool {
		return m.LastWrite.IsZero() || !m.LastWrite.Before(since)
	})
}

// successor is a finalizer that took the place of another, with an object from before and
// one from after the change.
type successor struct {
	finalizer     string
	before, after stuck.Object
}

// successors are the finalizers of the domain of a finalizer that all objects created
// since a time have in its place, and that some from before have as well.
func successors(objects []stuck.Object, finalizer string, since time.Time) []successor {
	var before, after []stuck.Object
	for _, o := range objects {
		switch {
		case o.Deleting():
		case o.CreationTime.After(since):
			after = append(after, o)
		case o.CreationTime.Before(since):
			before = append(before, o)
		}
	}
	if len(after) == 0 || slices.ContainsFunc(after, func(o stuck.Object) bool { return o.HasFinalizer(finalizer) }) {
		return nil
	}
	var out []successor
	for _, f := range after[0].Finalizers {
		if !isSameDomain(f, finalizer) {
			continue
		}
		has := func(o stuck.Object) bool { return o.HasFinalizer(f) }
		i := slices.IndexFunc(before, has)
		if i < 0 || slices.ContainsFunc(after, func(o stuck.Object) bool { return !has(o) }) {
			continue
		}
		out = append(out, successor{finalizer: f, before: before[i], after: after[0]})
	}
	return out
}

// isSameDomain reports whether the domains of two finalizers are equal, or one is a part
// of the other: chains.tekton.dev and chains.tekton.dev/taskrun.
func isSameDomain(a, b string) bool {
	a, _, _ = strings.Cut(a, "/")
	b, _, _ = strings.Cut(b, "/")
	return strings.Contains(a, ".") && strings.Contains(b, ".") && (a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a))
}

func rollBackStep(c controller.Candidate) stuck.Step {
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: fmt.Sprintf("roll %s back to the release that removes the finalizer, until the object is deleted; upgrade it again after that", c.Ref()),
	}
}
