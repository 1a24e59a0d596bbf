package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Survey is what one pass over the cluster, or one namespace of it, has seen.
type Survey struct {
	// Objects are the objects that the pass was asked to keep, in order.
	Objects []stuck.Object
	// NotDeleted counts, for each type of a namespace that is being deleted, the
	// objects that nobody has tried to delete yet.
	NotDeleted map[NamespacedType]int
	// Failed are the types that could not be listed.
	Failed []ListFailure
	// Read is how many types were read to their end.
	Read int
	// Unserved are the types that lists and discovery both say are not served any
	// more. They hold nothing, unless something else says that they do.
	Unserved []stuck.Type
	Gaps     []stuck.Gap
}

// NamespacedType is a type within a namespace.
type NamespacedType struct {
	Namespace string
	Type      TypeName
}

// TypeName is a type by its names alone: in the singular and in the plural, and as
// the API names it.
type TypeName struct {
	Singular, Plural string
	Resource         schema.GroupResource
}

// TypeNameOf is the type by its names.
func TypeNameOf(t stuck.Type) TypeName {
	return TypeName{Singular: t.Singular(), Plural: t.String(), Resource: t.GVR().GroupResource()}
}

// ListFailure is a type that could not be listed, and what the API server said.
type ListFailure struct {
	Type stuck.Type
	Err  error
}

// SurveyRequest says what a survey looks at and what it keeps. What it keeps is all
// that it holds in memory.
type SurveyRequest struct {
	Types     []stuck.Type
	Selection Selection
	// Keep decides on each object.
	Keep func(stuck.Object) bool
	// Count decides whether the objects of a namespace that are not kept are
	// counted.
	Count func(namespace string) bool
	// Progress, where set, is called with how many types are done, and how many
	// objects of theirs are being deleted.
	Progress func(done, total, deleting int)
	// MaxObjects is how many objects the survey keeps, zero for MaxSurveyObjects.
	MaxObjects int64
}

// MaxSurveyObjects is how many objects a survey keeps in memory, at about 1 KB
// each. It is more than any cluster holds that works
// (https://kubernetes.io/docs/setup/best-practices/cluster-large/), and ends what
// a server sends that does not.
const MaxSurveyObjects = 500_000

// surveyLimitError is the error of a type of which the survey could not keep all.
type surveyLimitError struct{ limit int64 }

func (e *surveyLimitError) Error() string {
	return fmt.Sprintf("more than %d objects are to be kept: not all of them were read", e.limit)
}

// Run reads each type, InFlight of them at a time. A type that cannot be read
// is a gap and stops nothing; the error is that of a canceled context.
func (p SurveyRequest) Run(ctx context.Context, source Source) (Survey, error) {
	out := Survey{NotDeleted: map[NamespacedType]int{}}
	var kept atomic.Int64
	var mu sync.Mutex
	done, deleting := 0, 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(MaxConcurrentRequests)
	for _, t := range p.Types {
		group.Go(func() error {
			result, err := p.readType(ctx, source, t, &kept)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			out.Objects = append(out.Objects, result.objects...)
			for ns, n := range result.notDeleted {
				out.NotDeleted[NamespacedType{ns, TypeNameOf(t)}] += n
			}
			switch {
			case err != nil:
				out.addFailure(t, p.Selection.Namespace, err)
			case result.unserved:
				out.Unserved = append(out.Unserved, t)
			default:
				out.Read++
			}
			deleting += result.deleting
			if done++; p.Progress != nil {
				p.Progress(done, len(p.Types), deleting)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Survey{}, err
	}
	out.sort()
	return out, nil
}

// isConnectionLost says that a connection broke, which client-go takes for a reason to ask
// once more (k8s.io/client-go/rest/request.go).
func isConnectionLost(err error) bool {
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

type typeSurvey struct {
	objects    []stuck.Object
	notDeleted map[string]int
	deleting   int
	unserved   bool
}

func (p SurveyRequest) readType(ctx context.Context, source Source, t stuck.Type, kept *atomic.Int64) (typeSurvey, error) {
	result, err := p.scan(ctx, source, t, p.Selection, kept)
	// Too slow for the continue token, or the server compacted early.
	expired := apierrors.IsResourceExpired(err)
	// An API server that is going down, or whatever is between, may close a
	// connection at any moment.
	if expired || isConnectionLost(err) && ctx.Err() == nil {
		kept.Add(-int64(len(result.objects)))
		selection := p.Selection
		selection.Unpaged = selection.Unpaged || expired
		result, err = p.scan(ctx, source, t, selection, kept)
	}
	if !isUnservedAnswer(err) {
		return result, err
	}
	if err = ConfirmUnserved(ctx, source, t, err); err != nil {
		return result, err
	}
	return typeSurvey{unserved: true}, nil
}

func (p SurveyRequest) scan(ctx context.Context, source Source, t stuck.Type, sel Selection, kept *atomic.Int64) (typeSurvey, error) {
	result := typeSurvey{notDeleted: map[string]int{}}
	if !t.Namespaced {
		sel.Namespace = ""
	}
	tooMany := &surveyLimitError{cmp.Or(p.MaxObjects, MaxSurveyObjects)}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err := source.Scan(ctx, t, sel, func(o stuck.Object) {
		if o.Deleting() {
			result.deleting++
		}
		switch {
		case p.Keep(o):
			if kept.Add(1) > tooMany.limit {
				cancel(tooMany)
				return
			}
			result.objects = append(result.objects, o)
		case p.Count != nil && !o.Deleting() && !t.IsEvent() && p.Count(o.Namespace):
			// Events pass by themselves, and nobody misses them.
			result.notDeleted[o.Namespace]++
		}
	})
	if context.Cause(ctx) == tooMany { //nolint:errorlint // it is the one made above, by nobody else
		err = tooMany
	}
	return result, err
}

func (s *Survey) addFailure(t stuck.Type, namespace string, err error) {
	s.Failed = append(s.Failed, ListFailure{Type: t, Err: err})
	s.Gaps = append(s.Gaps, listGap(t, namespace, err))
}

// Merge adds what a pass over other types has seen, as far as it is to be kept.
func (s *Survey) Merge(other Survey, keep func(stuck.Object) bool) {
	for _, o := range other.Objects {
		if keep(o) {
			s.Objects = append(s.Objects, o)
		}
	}
	s.Failed, s.Gaps = append(s.Failed, other.Failed...), append(s.Gaps, other.Gaps...)
	s.Unserved, s.Read = append(s.Unserved, other.Unserved...), s.Read+other.Read
	s.sort()
}

// hasRead reports whether the survey of these types has read one of them to its end.
func (s *Survey) hasRead(types []stuck.Type, t stuck.Type) bool {
	isSameType := func(other stuck.Type) bool { return other.GVR() == t.GVR() }
	return slices.ContainsFunc(types, isSameType) &&
		!slices.ContainsFunc(s.Failed, func(f ListFailure) bool { return isSameType(f.Type) })
}

// sort puts everything in order and drops objects that two types served.
func (s *Survey) sort() {
	slices.SortFunc(s.Objects, stuck.Compare)
	seen := map[types.UID]bool{}
	s.Objects = slices.DeleteFunc(s.Objects, func(o stuck.Object) bool {
		duplicate := o.UID != "" && seen[o.UID]
		seen[o.UID] = true
		return duplicate
	})
	slices.SortFunc(s.Failed, func(a, b ListFailure) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	sortGaps(s.Gaps)
}

// SurveyedTypes are the types that a full pass reads: what can be listed, namespaced
// only if the pass stays in a namespace, and Events under one of their two
// names.
func SurveyedTypes(all []stuck.Type, namespace string) []stuck.Type {
	var out []stuck.Type
	for _, t := range all {
		if t.Listable && t.Group != "events.k8s.io" && (namespace == "" || t.Namespaced) {
			out = append(out, t)
		}
	}
	return out
}

// MaxConcurrentRequests is how many requests are under way at once: enough to hide their
// latency, few enough to leave the API server's priority levels to others.
const MaxConcurrentRequests = 8
