package cause

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// leaves is what stays behind without the controller of a finalizer: what the
// catalogue says, and unknown where it says nothing.
func leaves(w owner.Owner) stuck.Cost {
	for _, e := range w.Known.Entries {
		if w.Known.How != catalog.ByConvention && !w.Known.OtherType {
			return stuck.Cost{Leak: leak(e.Leak), What: e.Leaves}
		}
	}
	return stuck.Cost{Leak: stuck.LeakUnknown, What: fmt.Sprintf("whatever the controller of %s would have cleaned up", w.Finalizer)}
}

func leak(l catalog.Leak) stuck.Leak { return stuck.Leak(l.Words()) }

// wayOut are the catalogue's steps out, or one that always holds.
func wayOut(w owner.Owner, otherwise string) []stuck.Step {
	var steps []stuck.Step
	for _, s := range w.Known.WayOut(w.Object.Namespace, w.Object.Name) {
		steps = append(steps, stuck.Step{What: s.What, Command: s.Command})
	}
	if len(steps) == 0 {
		steps = []stuck.Step{{What: otherwise}}
	}
	return steps
}

// its is a suspect as the controller of the finalizer: no more than it may be,
// where the clues point at others too.
func its(w owner.Owner, c owner.Candidate) string {
	if len(w.Suspects) > 1 {
		return fmt.Sprintf("%s in namespace %s, which may be its controller,", c.Ref(), c.Namespace)
	}
	return fmt.Sprintf("its controller %s in namespace %s", c.Ref(), c.Namespace)
}

// because are the clues that make a workload the owner.
func because(w owner.Owner, c owner.Candidate) string {
	is := "is"
	if len(w.Suspects) > 1 {
		is = "may be"
	}
	return fmt.Sprintf("it %s the owner because %s", is, strings.Join(c.Clues, "; "))
}

// running are the suspects that run, none where what runs could not be seen.
func running(see *cluster.View, w owner.Owner) []owner.Candidate {
	if w.Alive(see) != stuck.AliveYes {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(w.Suspects), func(c owner.Candidate) bool {
		return owner.Examine(see, c.Workload).Alive != stuck.AliveYes
	})
}

// unwatched says that nobody watches the type, nor has acted on the object: so
// those suspects that run do not do what one that is down would do.
func unwatched(see *cluster.View, w owner.Owner) bool {
	if hasActed(see, w) {
		return false
	}
	answer, _ := owner.WatchedBy(see, w.Object.Type)
	return answer == owner.WatchedByNobody
}

// abandoned says whether nobody can be left who might take the finalizer off,
// where no suspect was found, and by what. What could not be examined is not
// gone; nor is what may merely be down, unless something is known to be gone.
func abandoned(see *cluster.View, w owner.Owner) (yes bool, says []string) {
	gone := slices.ContainsFunc(w.Traces, func(t owner.Trace) bool { return t.Gone })
	out := slices.ContainsFunc(w.Others, func(o owner.Other) bool { return o.Unseen || o.Down && !gone })
	if out || hasActed(see, w) {
		return false, nil
	}
	watched, says := owner.WatchedBy(see, w.Object.Type)
	switch {
	case watched == owner.WatchedByNobody:
		return len(w.Others) == 0 || len(w.Traces) > 0, says
	case watched == owner.WatchedUnknown && gone && len(w.Others) == 0:
		return true, says
	case watched == owner.WatchedUnknown && !stuck.BuiltIn(w.Object.Type.Group) && owner.SeveralServers(see):
		see.Note(stuck.Gap{Source: "watches on " + w.Object.Type.String(), Error: "there are several API servers, and each counts its own alone"})
	}
	return false, nil
}

// hasActed says whether somebody wrote the status of the object, or whoever
// set the finalizer wrote anything, after the deletion began: then he is, or
// was, there to see it.
func hasActed(see *cluster.View, w owner.Owner) bool {
	for _, m := range append(see.WroteStatus(w.Object), w.Setters...) {
		if !w.Object.Deleted.IsZero() && m.At.After(w.Object.Deleted) && !owner.ByHand(m.Name) {
			return true
		}
	}
	return false
}

// diedWithNamespace says whether the controller lived in the very namespace
// that is being deleted, and went with it.
func diedWithNamespace(see *cluster.View, w owner.Owner) bool {
	if w.Object.Namespace == "" {
		return false
	}
	ns := see.Namespace(w.Object.Namespace)
	if !ns.Found() || ns.Value.DeletionTimestamp == nil {
		return false
	}
	for _, t := range w.Traces {
		if t.Namespace == w.Object.Namespace {
			return true
		}
	}
	return false
}

func logs(c owner.Candidate, flags string) string {
	return command(c.Namespace, "logs %s%s", c.Ref(), flags)
}
