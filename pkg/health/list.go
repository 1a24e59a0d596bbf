package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// listed is what the first list of a type gave.
type listed struct {
	Type stuck.Type
	// First is nil where there was an error.
	First *metav1.PartialObjectMetadataList
	Err   error
	Took  time.Duration
}

var errNotAsked = fmt.Errorf("not asked for, as the first %d types were not answered within %s", cluster.InFlight, cluster.FirstAnswer)

// mute says that the server has answered no list at all: it is left in peace.
func (e *examination) mute() bool {
	return slices.ContainsFunc(e.listed, func(l listed) bool { return errors.Is(l.Err, errNotAsked) })
}

// listAll lists each type once, for its first object.
func (e *examination) listAll(ctx context.Context) []listed {
	all := make([]listed, len(e.Types))
	var answered, unanswered atomic.Int32
	group := errgroup.Group{}
	group.SetLimit(cluster.InFlight)
	for i, t := range e.Types {
		group.Go(func() error {
			all[i] = listed{Type: t, Err: errNotAsked}
			if answered.Load() == 0 && unanswered.Load() >= cluster.InFlight {
				return nil
			}
			since := e.Clock()
			all[i].First, all[i].Err = e.server.First(ctx, t, e.Namespace)
			all[i].Took = e.Clock().Sub(since)
			if errors.Is(all[i].Err, context.DeadlineExceeded) {
				unanswered.Add(1)
			} else {
				answered.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait() // what failed stands with its type
	// What discovery names and the server does not serve holds nothing.
	return slices.DeleteFunc(all, func(l listed) bool {
		return !l.Type.Stale && (apierrors.IsNotFound(l.Err) || apierrors.IsMethodNotSupported(l.Err))
	})
}

// objects is how many objects of the type there are. Servers need not tell how
// many remain behind the first, and then it is the least that it can be.
func (l listed) objects() int64 {
	if l.First == nil {
		return 0
	}
	n := int64(len(l.First.Items))
	if rest := l.First.RemainingItemCount; rest != nil {
		n += *rest
	}
	return n
}

// watchable says whether an informer could follow the type.
func (l listed) watchable() bool { return l.First != nil && l.Type.Watchable }

// note notes what was measured.
func (l listed) note(h *stuck.TypeHealth) {
	h.List, h.ListSeconds = "ok", seconds(l.Took)
	if l.Err != nil {
		h.List = cluster.Reason(l.Err)
		return
	}
	n := l.objects()
	h.Objects = &n
}

// unlisted says whether a type could not be listed, whose watch was then not
// tried.
func (e *examination) unlisted() bool {
	return slices.ContainsFunc(e.listed, func(l listed) bool { return l.First == nil })
}

// checkList says which types cannot be listed, and what comes of it.
func checkList(_ context.Context, e *examination, _ *types) stuck.CheckUp {
	out := stuck.CheckUp{}
	var slowest listed
	fine := 0
	for _, l := range e.listed {
		switch {
		case apierrors.IsForbidden(l.Err), errors.Is(l.Err, errNotAsked):
			out.Incomplete = true
			e.see.Unlisted(l.Type, e.Namespace, l.Err)
		case l.Err != nil:
			out.Ailments = append(out.Ailments, e.cannotList(l.Type, l.Err))
		default:
			if fine++; l.Took > slowest.Took {
				slowest = l
			}
		}
	}
	// An object far behind the first may be what breaks the list of a type.
	for _, failure := range e.world.failed {
		same := func(l listed) bool { return l.Type.GVR() == failure.Type.GVR() && l.Err == nil }
		if slices.ContainsFunc(e.listed, same) && !apierrors.IsForbidden(failure.Err) {
			out.Ailments = append(out.Ailments, e.cannotList(failure.Type, failure.Err))
			fine--
		}
	}
	out.Summary = fmt.Sprintf("%d of %s can be listed", fine, counted(len(e.listed), "type"))
	if slowest.Took > 0 {
		out.Summary += fmt.Sprintf("; the slowest answer took %s (%s)", slowest.Took.Round(time.Millisecond), slowest.Type)
	}
	return out
}

// cannotList is a type that the API server fails to list.
func (e *examination) cannotList(t stuck.Type, err error) stuck.Ailment {
	a := stuck.Ailment{
		State: stuck.Ill, Reason: "not-listable", Subject: typeSubject(t.String()), Summary: t.String() + " cannot be listed",
		Evidence: []string{cluster.Reason(err)}, Hurts: e.unlistable(t),
	}
	text := cluster.Reason(err)
	switch {
	case strings.HasPrefix(text, cluster.ConversionFailed):
		a.Summary += ": its conversion webhook fails"
		if crd := e.see.CRD(t.String()); crd.Found() && crd.Value.Spec.Conversion.Webhook.ClientConfig.Service != nil {
			service := *crd.Value.Spec.Conversion.Webhook.ClientConfig.Service
			a.Evidence = append(a.Evidence, owner.ServiceState(e.see, service)...)
			a.Fix = owner.ReviveService(e.see, service)
		}
	case t.Stale || apierrors.IsServiceUnavailable(err):
		if s := e.see.APIService(t.Group, t.Version); s.Found() && s.Value.Spec.Service != nil {
			a.Evidence = append(a.Evidence, owner.ServiceState(e.see, *s.Value.Spec.Service)...)
			a.Fix = owner.ReviveService(e.see, *s.Value.Spec.Service)
		}
	}
	if len(a.Fix) == 0 {
		a.Fix = []stuck.Step{{What: "see the whole error", Command: "kubectl get " + t.String() + " -A --request-timeout=30s"}}
	}
	return a
}

// unlistable says who suffers when a type cannot be listed.
func (e *examination) unlistable(t stuck.Type) []string {
	var hurts []string
	if t.Namespaced {
		if waiting := e.world.waiting(); len(waiting) > 0 {
			hurts = append(hurts, "a namespace that holds such an object cannot finish being deleted; these are being deleted: "+few(waiting))
		} else {
			hurts = append(hurts, "a namespace that holds such an object cannot finish when it is deleted")
		}
	}
	return append(hurts,
		"no controller that starts now sees an object of it, so none of its finalizers is processed",
		"the garbage collector does not see owners and dependents of this type"+e.collectsNothing())
}

// collectsNothing says what one type that cannot be synced meant to the garbage
// collector before 1.32 (kubernetes/kubernetes#125796).
func (e *examination) collectsNothing() string {
	if minor, ok := e.see.Minor(); ok && minor < 32 {
		return ", and once it restarts, before Kubernetes 1.32, collects nothing at all"
	}
	return ""
}

// few names the first of many.
func few(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// share says of how many something holds. Of none that are known, where not all
// could be read, nothing is said to hold.
func share(n, all int, noun, holds string, complete bool) string {
	if all == 0 && !complete {
		return "no " + noun + " could be seen"
	}
	return fmt.Sprintf("%d of %s %s", n, counted(all, noun), holds)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
