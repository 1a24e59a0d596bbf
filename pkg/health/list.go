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
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// listResult is the result of the first list of a type.
type listResult struct {
	Type stuck.Type
	// First is nil where there was an error.
	First    *metav1.PartialObjectMetadataList
	Err      error
	Duration time.Duration
	// unserved says that the type is no longer served, by lists and by discovery.
	unserved bool
}

var errNotListed = fmt.Errorf("not listed, because none of the first %d lists was answered within %s", cluster.MaxConcurrentRequests, live.FirstObjectTimeout)

// noListAnswered reports whether the server answered no list: then no more are sent.
func (c *checker) noListAnswered() bool {
	return slices.ContainsFunc(c.lists, func(l listResult) bool { return errors.Is(l.Err, errNotListed) })
}

// listAll lists each type once, for its first object.
func (c *checker) listAll(ctx context.Context) []listResult {
	all := make([]listResult, len(c.Types))
	var answered, unanswered atomic.Int32
	group := errgroup.Group{}
	group.SetLimit(cluster.MaxConcurrentRequests)
	for i, t := range c.Types {
		group.Go(func() error {
			all[i] = listResult{Type: t, Err: errNotListed}
			if answered.Load() == 0 && unanswered.Load() >= cluster.MaxConcurrentRequests {
				return nil
			}
			since := c.Clock()
			all[i].First, all[i].Err = c.server.ListFirst(ctx, t, c.Namespace)
			all[i].Duration = c.Clock().Sub(since)
			if all[i].Err != nil {
				all[i].Err = cluster.ConfirmUnserved(ctx, c.server, t, all[i].Err)
				all[i].unserved = all[i].Err == nil
			}
			if errors.Is(all[i].Err, context.DeadlineExceeded) {
				unanswered.Add(1)
			} else {
				answered.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait() // each error is kept with its type
	return slices.DeleteFunc(all, func(l listResult) bool { return l.unserved || ctx.Err() != nil && !isAnswer(l.Err) })
}

// errNoneServed is the error of a server that serves none of the types that its
// discovery names, or of a proxy that answers in its place.
var errNoneServed = errors.New("every list was answered with 404 or 405, but discovery names the types: check --server, and the proxies before it")

// nothingListed is the error where no type could be listed, nil where one could, or where
// the server fails, which is a problem of its own.
func (c *checker) nothingListed() error {
	if len(c.Types) == 0 {
		return nil
	}
	if !slices.ContainsFunc(c.lists, func(l listResult) bool { return !apierrors.IsNotFound(l.Err) && !apierrors.IsMethodNotSupported(l.Err) }) {
		return fmt.Errorf("listing %s: %w", stuck.Count(len(c.Types), "type"), errNoneServed)
	}
	if slices.ContainsFunc(c.lists, func(l listResult) bool { return !apierrors.IsForbidden(l.Err) }) {
		return nil
	}
	if len(c.lists) == 1 {
		return fmt.Errorf("listing %s: %w", c.lists[0].Type, c.lists[0].Err)
	}
	return fmt.Errorf("you may not list any of %d types: %w", len(c.lists), c.lists[0].Err)
}

// objectCount is how many objects of the type there are, or at least: servers need not
// say how many follow the first.
func (l listResult) objectCount() int64 {
	if l.First == nil {
		return 0
	}
	n := int64(len(l.First.Items))
	if rest := l.First.RemainingItemCount; rest != nil {
		n += *rest
	}
	return n
}

// isWatchable reports whether an informer could follow the type.
func (l listResult) isWatchable() bool { return l.First != nil && l.Type.Watchable }

// record notes what was measured.
func (l listResult) record(h *stuck.TypeHealth) {
	h.List, h.ListSeconds = "ok", seconds(l.Duration)
	if l.Err != nil {
		h.List = apitext.ErrorMessage(l.Err)
		return
	}
	n := l.objectCount()
	h.Objects = &n
}

// hasListFailures reports whether a type could not be listed, and so not be watched.
func (c *checker) hasListFailures() bool {
	return slices.ContainsFunc(c.lists, func(l listResult) bool { return l.First == nil })
}

// checkList finds the types that cannot be listed.
func checkList(ctx context.Context, c *checker, _ *typeResults) stuck.Check {
	out := stuck.Check{}
	var slowest listResult
	listedCount := 0
	for _, l := range c.lists {
		switch {
		case apierrors.IsForbidden(l.Err), errors.Is(l.Err, errNotListed):
			out.Incomplete = true
			c.view.AddListGap(l.Type, c.Namespace, l.Err)
		case l.Err != nil:
			out.Problems = append(out.Problems, c.listProblem(l.Type, l.Err))
		default:
			if listedCount++; l.Duration > slowest.Duration {
				slowest = l
			}
		}
	}
	// An object far behind the first may break the list of a type.
	for _, failure := range c.snapshot.failed {
		same := func(l listResult) bool { return l.Type.GVR() == failure.Type.GVR() && l.Err == nil }
		if slices.ContainsFunc(c.lists, same) && !apierrors.IsForbidden(failure.Err) {
			out.Problems = append(out.Problems, c.listProblem(failure.Type, failure.Err))
			listedCount--
		}
	}
	if ctx.Err() == nil { // it repeats slow lists
		out.Problems = append(out.Problems, c.slowExtensions(ctx)...)
	}
	if len(c.lists) == 0 {
		return stuck.Check{Incomplete: true, Inconclusive: true, Summary: "no type was listed yet"}
	}
	out.Summary = fmt.Sprintf("%d of %s can be listed", listedCount, stuck.Count(len(c.lists), "type"))
	if slowest.Duration > 0 {
		out.Details = []string{fmt.Sprintf("slowest list: %s (%s)", slowest.Duration.Round(time.Millisecond), slowest.Type)}
	}
	return out
}

// listProblem is the problem of a type that the API server cannot list.
func (c *checker) listProblem(t stuck.Type, err error) stuck.Problem {
	problem := stuck.Problem{
		State: stuck.Unhealthy, Reason: "not-listable", Subject: typeSubject(t.String()), Message: t.String() + " cannot be listed",
		Causes:   c.listFailureCauses(t, err),
		Evidence: []string{apitext.ErrorMessage(err)}, Impact: c.listFailureImpact(t),
	}
	showStep := stuck.Step{Action: stuck.ActionCheck, Description: "read the whole error", Command: stuck.Shellf("kubectl get %s -A --request-timeout=30s", t)}
	text := apitext.ErrorMessage(err)
	switch {
	case strings.HasPrefix(text, apitext.ConversionFailurePrefix):
		problem.Message += ": the conversion webhook fails"
		problem.Blocks = c.namespacesFailingConversion(t)
		if crd := c.view.CRD(t.String()); crd.Found() && crd.Value.Spec.Conversion.Webhook.ClientConfig.Service != nil {
			service := *crd.Value.Spec.Conversion.Webhook.ClientConfig.Service
			problem.Evidence = append(problem.Evidence, c.backendProblems(service)...)
			problem.Steps = c.backendRepairSteps(service, showStep)
		}
	case t.Stale || apierrors.IsServiceUnavailable(err):
		if s := c.view.APIService(t.Group, t.Version); s.Found() && s.Value.Spec.Service != nil {
			problem.Evidence = append(problem.Evidence, c.backendProblems(*s.Value.Spec.Service)...)
			problem.Steps = c.backendRepairSteps(*s.Value.Spec.Service, showStep)
		}
	}
	if len(problem.Steps) == 0 {
		problem.Steps = []stuck.Step{showStep}
	}
	return problem
}

// listFailureImpact says what does not work when a type cannot be listed.
func (c *checker) listFailureImpact(t stuck.Type) []string {
	var impact []string
	if t.Namespaced {
		text := "a namespace that contains such an object cannot be deleted"
		if waiting := c.snapshot.deletingNamespaces(); len(waiting) > 0 {
			text += "; being deleted now: " + objectNames(waiting)
		}
		impact = append(impact, text)
	}
	return slices.Concat(impact, []string{
		"a controller of " + t.String() + " that starts now cannot sync, and removes no finalizers",
		"the garbage collector does not see changes of " + t.String() + c.unseenSince(t) + ": " + uncollectedText + c.garbageCollectorNote(),
	}, quotaImpact(t))
}

// namespacesFailingConversion are the namespaces whose deletion fails, by their
// conditions, because objects of a type cannot be converted.
func (c *checker) namespacesFailingConversion(t stuck.Type) []stuck.Object {
	return c.failingNamespaces(func(message string) bool {
		return strings.HasPrefix(message, apitext.ConversionFailurePrefix+" "+t.Group+"/") && strings.Contains(message, ", Kind="+t.Kind+" failed")
	})
}

// garbageCollectorNote says what one type that cannot be synced does to the garbage
// collector before 1.32 (kubernetes/kubernetes#125796).
func (c *checker) garbageCollectorNote() string {
	if minor, ok := c.view.MinorVersion(); ok && minor < 32 {
		return "; before Kubernetes 1.32 it collects nothing after a restart"
	}
	return ""
}

// objectNames names the first of many objects.
func objectNames(objects []stuck.Object) string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Name)
	}
	return joinFirst(names)
}

// joinFirst names the first of many.
func joinFirst(names []string) string {
	const most = 10
	return stuck.JoinFirst(names, most)
}

// countSummary says of how many something holds: nothing, where none could be read.
func countSummary(n, all int, noun, holds string, complete bool) string {
	if all == 0 && !complete {
		return "no " + noun + " could be read"
	}
	return fmt.Sprintf("%d of %s %s", n, stuck.Count(all, noun), holds)
}
