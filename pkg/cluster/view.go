package cluster

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// View is what a cause sees of the cluster. It reads on demand, each thing
// once, and notes what it could not see; a cause asks, and cannot tell how
// often or from where the answer came. Views are safe for concurrent use.
type View struct {
	// ctx ends the reads of one command. It lives here so that causes, which
	// only ask questions, need not carry it.
	ctx    context.Context
	shared *evidence

	mu   sync.Mutex
	gaps []stuck.Gap
}

// evidence is what all the views of one command have read between them.
type evidence struct {
	source Source
	types  []stuck.Type
	// discovery are the gaps of discovery.
	discovery []stuck.Gap
	// known are the surveys that the command has made, by namespace; that of
	// the whole cluster has none.
	known map[string]*Survey
	// unprobed says that no dry runs are to be sent.
	unprobed bool

	mu   sync.Mutex
	read map[string]func() any
	gaps []stuck.Gap
	// first are the objects that stand for many in a probe.
	first map[string]stuck.Object
	// crowds are the types and namespaces of which many objects are asked about.
	crowds map[string]bool
	// wide says that many namespaces are asked about.
	wide bool
}

// NewView is a view on a source whose types have been discovered.
func NewView(ctx context.Context, source Source, types []stuck.Type, discovery []stuck.Gap) *View {
	return &View{ctx: ctx, shared: &evidence{
		source: source, types: types, discovery: discovery, gaps: slices.Clone(discovery),
		known: map[string]*Survey{}, read: map[string]func() any{}, first: map[string]stuck.Object{}, crowds: map[string]bool{},
	}}
}

// Apart is a view that shares all that was read but notes gaps of its own.
func (v *View) Apart() *View { return &View{ctx: v.ctx, shared: v.shared} }

// Know hands the view a survey that is already made, of a namespace or of the
// whole cluster, so that it need not look again. It goes before any question.
func (v *View) Know(namespace string, survey *Survey) {
	v.shared.known[namespace] = survey
	v.Note(survey.Gaps...)
}

// deleting are the objects of a namespace that a survey found being deleted.
func (v *View) deleting(namespace string) []stuck.Object {
	var out []stuck.Object
	for _, scope := range []string{"", namespace} {
		if known := v.shared.known[scope]; known != nil {
			for _, o := range known.Kept {
				if o.Namespace == namespace && o.Deleting() {
					out = append(out, o)
				}
			}
			return out
		}
	}
	return out
}

// Now is the time at the source.
func (v *View) Now() time.Time { return v.shared.source.Now() }

// Gaps are the reads that failed for this view, in order, each once.
func (v *View) Gaps() []stuck.Gap {
	v.mu.Lock()
	defer v.mu.Unlock()
	return inOrder(v.gaps)
}

// AllGaps are the reads that failed for this view and all views apart from it.
func (v *View) AllGaps() []stuck.Gap {
	v.shared.mu.Lock()
	defer v.shared.mu.Unlock()
	return inOrder(v.shared.gaps)
}

func inOrder(gaps []stuck.Gap) []stuck.Gap {
	gaps = slices.Clone(gaps)
	sortGaps(gaps)
	return slices.CompactFunc(gaps, func(a, b stuck.Gap) bool { return a.Source == b.Source && a.Error == b.Error })
}

// Note notes reads that failed: those of the view itself, or of the command
// that made it.
func (v *View) Note(gaps ...stuck.Gap) {
	v.mu.Lock()
	v.gaps = append(v.gaps, gaps...)
	v.mu.Unlock()
	v.shared.mu.Lock()
	v.shared.gaps = append(v.shared.gaps, gaps...)
	v.shared.mu.Unlock()
}

// Type is the type of a kind, false where the server does not serve it.
func (v *View) Type(gk schema.GroupKind) (stuck.Type, bool) {
	return v.find(func(t stuck.Type) bool { return t.GroupKind() == gk })
}

// Resource is the type of a resource, false where the server does not serve it.
func (v *View) Resource(gr schema.GroupResource) (stuck.Type, bool) {
	return v.find(func(t stuck.Type) bool { return t.GVR().GroupResource() == gr })
}

func (v *View) find(match func(stuck.Type) bool) (stuck.Type, bool) {
	i := slices.IndexFunc(v.shared.types, match)
	if i < 0 {
		return stuck.Type{}, false
	}
	return v.shared.types[i], true
}

// once reads a thing the first time that any view asks for it. Others who ask
// meanwhile wait for the same answer.
func once[T any](v *View, key string, read func() T) T {
	e := v.shared
	e.mu.Lock()
	f, ok := e.read[key]
	if !ok {
		f = sync.OnceValue(func() any { return read() })
		e.read[key] = f
	}
	e.mu.Unlock()
	return f().(T)
}

// seen is an answer together with the gaps behind it.
type seen[T any] struct {
	value T
	gaps  []stuck.Gap
}

// ask is once, with the gaps noted by every view that asks.
func ask[T any](v *View, key string, read func() (T, []stuck.Gap)) T {
	answer := once(v, key, func() seen[T] {
		value, gaps := read()
		return seen[T]{value, gaps}
	})
	v.Note(answer.gaps...)
	return answer.value
}

// Groups are the API groups that the server serves.
func (v *View) Groups() []string {
	var groups []string
	for _, t := range v.shared.types {
		if t.Group != "" && !slices.Contains(groups, t.Group) {
			groups = append(groups, t.Group)
		}
	}
	return groups
}
