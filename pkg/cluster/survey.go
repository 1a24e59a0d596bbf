package cluster

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Survey is what one pass over the cluster, or one namespace of it, has seen.
type Survey struct {
	// Kept are the objects that the pass was asked to keep, in order.
	Kept []stuck.Object
	// Left counts, for each type of a namespace that is being deleted, the
	// objects that nobody has tried to delete yet.
	Left map[Place]int
	// Failed are the types that could not be listed.
	Failed []Failure
	Gaps   []stuck.Gap
}

// Place is a type within a namespace.
type Place struct {
	Namespace string
	Kind      Kind
}

// Kind is a type by its names alone, in the singular and in the plural.
type Kind struct{ One, Many string }

// KindOf is the type by its names.
func KindOf(t stuck.Type) Kind { return Kind{One: t.One(), Many: t.String()} }

// Failure is a type that could not be listed, and what the API server said.
type Failure struct {
	Type stuck.Type
	Err  error
}

// Pass says what a survey looks at and what it keeps. What it keeps is all
// that it holds in memory.
type Pass struct {
	Types     []stuck.Type
	Selection Selection
	// Keep decides on each object.
	Keep func(stuck.Object) bool
	// Count decides whether the objects of a namespace that are not kept are
	// counted.
	Count func(namespace string) bool
	// Progress, where set, is told how many types are done, and how many
	// objects of theirs are being deleted.
	Progress func(done, total, deleting int)
}

// Run reads each type, InFlight of them at a time. A type that cannot be read
// is a gap and stops nothing; the error is that of a cancelled context.
func (p Pass) Run(ctx context.Context, source Source) (Survey, error) {
	out := Survey{Left: map[Place]int{}}
	var mu sync.Mutex
	done, deleting := 0, 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(InFlight)
	for _, t := range p.Types {
		group.Go(func() error {
			one, err := p.readType(ctx, source, t)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			out.Kept = append(out.Kept, one.kept...)
			for ns, n := range one.left {
				out.Left[Place{ns, KindOf(t)}] += n
			}
			if err != nil {
				out.fail(t, p.Selection.Namespace, err)
			}
			deleting += one.deleting
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

// lost says that a connection broke, which client-go takes for a reason to ask
// once more (k8s.io/client-go/rest/request.go).
func lost(err error) bool {
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) ||
		errors.Is(err, io.ErrUnexpectedEOF)
}

type typeRead struct {
	kept     []stuck.Object
	left     map[string]int
	deleting int
}

func (p Pass) readType(ctx context.Context, source Source, t stuck.Type) (typeRead, error) {
	one, err := p.scan(ctx, source, t, p.Selection)
	switch {
	case apierrors.IsResourceExpired(err):
		// Too slow for the continue token, or the server compacted early.
		all := p.Selection
		all.Unpaged = true
		one, err = p.scan(ctx, source, t, all)
	case lost(err) && ctx.Err() == nil:
		// An API server that is going down, or whatever is between, may let go
		// of a connection at any moment.
		one, err = p.scan(ctx, source, t, p.Selection)
	}
	if !t.Stale && (apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err)) {
		// Gone since discovery, or named by it in error: it holds nothing. The
		// namespace controller reads these answers the same way.
		return typeRead{}, nil
	}
	return one, err
}

func (p Pass) scan(ctx context.Context, source Source, t stuck.Type, sel Selection) (typeRead, error) {
	one := typeRead{left: map[string]int{}}
	if !t.Namespaced {
		sel.Namespace = ""
	}
	err := source.Scan(ctx, t, sel, func(o stuck.Object) {
		if o.Deleting() {
			one.deleting++
		}
		switch {
		case p.Keep(o):
			one.kept = append(one.kept, o)
		case p.Count != nil && !o.Deleting() && t.Resource != "events" && p.Count(o.Namespace):
			// Events pass by themselves, and nobody misses them.
			one.left[o.Namespace]++
		}
	})
	return one, err
}

func (s *Survey) fail(t stuck.Type, namespace string, err error) {
	s.Failed = append(s.Failed, Failure{Type: t, Err: err})
	s.Gaps = append(s.Gaps, listGap(t, namespace, err))
}

// Join adds what a pass over other types has seen, as far as it is to be kept.
func (s *Survey) Join(other Survey, keep func(stuck.Object) bool) {
	for _, o := range other.Kept {
		if keep(o) {
			s.Kept = append(s.Kept, o)
		}
	}
	s.Failed, s.Gaps = append(s.Failed, other.Failed...), append(s.Gaps, other.Gaps...)
	s.sort()
}

// read says whether the survey of these types has read one of them to its end.
func (s *Survey) read(types []stuck.Type, t stuck.Type) bool {
	same := func(other stuck.Type) bool { return other.GVR() == t.GVR() }
	return slices.ContainsFunc(types, same) &&
		!slices.ContainsFunc(s.Failed, func(f Failure) bool { return same(f.Type) })
}

// sort puts everything in order and drops objects that two types served.
func (s *Survey) sort() {
	slices.SortFunc(s.Kept, stuck.Compare)
	seen := map[types.UID]bool{}
	s.Kept = slices.DeleteFunc(s.Kept, func(o stuck.Object) bool {
		twice := o.UID != "" && seen[o.UID]
		seen[o.UID] = true
		return twice
	})
	slices.SortFunc(s.Failed, func(a, b Failure) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	sortGaps(s.Gaps)
}

// Surveyed are the types that a full pass reads: what can be listed, namespaced
// only if the pass stays in a namespace, and Events under one of their two
// names.
func Surveyed(all []stuck.Type, namespace string) []stuck.Type {
	var out []stuck.Type
	for _, t := range all {
		if t.Listable && t.Group != "events.k8s.io" && (namespace == "" || t.Namespaced) {
			out = append(out, t)
		}
	}
	return out
}

// Object is what a scan keeps of an object's metadata.
func Object(t stuck.Type, m *metav1.PartialObjectMetadata) stuck.Object {
	return stuck.ObjectOf(t, m.ObjectMeta)
}

// Pod is a Pod that was read whole, as a scan would have kept it.
func Pod(pod corev1.Pod) stuck.Object { return whole(pods, pod.ObjectMeta) }

// Claim is a PersistentVolumeClaim that was read whole, as a scan would have
// kept it.
func Claim(claim corev1.PersistentVolumeClaim) stuck.Object { return whole(claims, claim.ObjectMeta) }

func whole(t stuck.Type, meta metav1.ObjectMeta) stuck.Object {
	return Object(t, &metav1.PartialObjectMetadata{ObjectMeta: meta})
}
