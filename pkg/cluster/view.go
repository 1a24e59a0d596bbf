package cluster

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// View is what a cause sees of the cluster. It reads on demand, each thing
// once, and notes what it could not see; a cause asks, and cannot tell how
// often or from where the answer came. Views are safe for concurrent use.
type View struct {
	// ctx ends the reads of one command. It is here so that causes, which
	// only ask questions, need not carry it.
	ctx     context.Context
	options viewOptions
	shared  *sharedState

	mu   sync.Mutex
	gaps []stuck.Gap
}

// viewOptions is what a view is given when it is made. It never changes, so that
// nothing has to be told before anything is asked.
type viewOptions struct {
	// surveys are those that the command has made, by namespace; that of the whole
	// cluster has none.
	surveys map[string]*Survey
	// probesDisabled says why no dry runs are to be sent, empty where they are.
	probesDisabled string
	// diagnosed are the objects that are asked about.
	diagnosed diagnosedObjects
	// updateSelectors, where set, tell in which namespaces admission is shown updates of a type.
	updateSelectors UpdateSelectors
	// aside says that a gap of the view is no gap of the command.
	aside bool
}

// sharedState is what all the views of one command have read between them.
type sharedState struct {
	source Source
	types  []stuck.Type
	// discoveryGaps are the gaps of discovery.
	discoveryGaps []stuck.Gap

	mu    sync.Mutex
	reads map[string]func() any
	gaps  []stuck.Gap
}

// Option changes what a new view does.
type Option func(*viewOptions)

// WithoutProbes keeps a view from sending dry runs, for a reason.
func WithoutProbes(reason string) Option {
	return func(k *viewOptions) { k.probesDisabled = reason }
}

// NewView is a view on a source whose types have been discovered.
func NewView(ctx context.Context, source Source, types []stuck.Type, discovery []stuck.Gap, options ...Option) *View {
	v := &View{ctx: ctx, shared: &sharedState{
		source: source, types: types, discoveryGaps: discovery, gaps: slices.Clone(discovery), reads: map[string]func() any{},
	}}
	for _, option := range options {
		option(&v.options)
	}
	return v
}

// Scoped is a view that shares all that was read but notes gaps of its own.
func (v *View) Scoped() *View { return &View{ctx: v.ctx, options: v.options, shared: v.shared} }

// WithSurvey is a view that need not make a survey again which the command has
// made, of a namespace or of the whole cluster.
func (v *View) WithSurvey(namespace string, survey *Survey) *View {
	out := v.Scoped()
	out.options.surveys = maps.Clone(v.options.surveys)
	if out.options.surveys == nil {
		out.options.surveys = map[string]*Survey{}
	}
	out.options.surveys[namespace] = survey
	out.AddGaps(slices.Concat(v.Gaps(), survey.Gaps)...)
	return out
}

// uncached is a view on the same source that has read nothing yet: what it is asked
// is asked once more, once for all views of the command.
func (v *View) uncached() *View {
	return memoize(v, "again", func() *View { return NewView(v.ctx, v.shared.source, v.shared.types, nil) }).Scoped()
}

// deletingIn are the objects of a namespace that a survey found being deleted.
func (v *View) deletingIn(namespace string) []stuck.Object {
	var out []stuck.Object
	for _, scope := range []string{"", namespace} {
		if survey := v.options.surveys[scope]; survey != nil {
			for _, o := range survey.Objects {
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
	return sortedGaps(v.gaps)
}

// AllGaps are the reads that failed for this view and all views apart from it.
func (v *View) AllGaps() []stuck.Gap {
	v.shared.mu.Lock()
	defer v.shared.mu.Unlock()
	return sortedGaps(v.shared.gaps)
}

func sortedGaps(gaps []stuck.Gap) []stuck.Gap {
	gaps = slices.Clone(gaps)
	sortGaps(gaps)
	return slices.CompactFunc(gaps, func(a, b stuck.Gap) bool { return a.Source == b.Source && a.Error == b.Error })
}

// AddGaps notes reads that failed: those of the view itself, or of the command
// that made it.
func (v *View) AddGaps(gaps ...stuck.Gap) {
	v.mu.Lock()
	v.gaps = append(v.gaps, gaps...)
	v.mu.Unlock()
	if v.options.aside {
		return
	}
	v.shared.mu.Lock()
	v.shared.gaps = append(v.shared.gaps, gaps...)
	v.shared.mu.Unlock()
}

// TypeForKind is the type of a kind, false where the server does not serve it.
func (v *View) TypeForKind(gk schema.GroupKind) (stuck.Type, bool) {
	return v.findType(func(t stuck.Type) bool { return t.GroupKind() == gk })
}

// TypeForKindOrGap is TypeForKind, and a gap where the group of the kind could not be
// discovered: the server may serve the kind all the same.
func (v *View) TypeForKindOrGap(gk schema.GroupKind) (t stuck.Type, served bool) {
	if t, served = v.TypeForKind(gk); served {
		return t, true
	}
	if gap, ok := v.groupDiscoveryGap(gk.Group); ok {
		v.AddGaps(gap)
	}
	return stuck.Type{}, false
}

// TypeForResource is the type of a resource, false where the server does not serve it.
func (v *View) TypeForResource(gr schema.GroupResource) (stuck.Type, bool) {
	return v.findType(func(t stuck.Type) bool { return t.GVR().GroupResource() == gr })
}

func (v *View) findType(match func(stuck.Type) bool) (stuck.Type, bool) {
	i := slices.IndexFunc(v.shared.types, match)
	if i < 0 {
		v.AddGaps(v.unboundedDiscoveryGaps()...)
		return stuck.Type{}, false
	}
	return v.shared.types[i], true
}

// unboundedDiscoveryGaps are the gaps of discovery that do not name a group version: any type may
// be behind them.
func (v *View) unboundedDiscoveryGaps() []stuck.Gap {
	var out []stuck.Gap
	for _, gap := range v.shared.discoveryGaps {
		if gap.GroupVersion.Empty() {
			out = append(out, gap)
		}
	}
	return out
}

// LacksDomain reports whether the API server is known to serve no API group under a domain.
func (v *View) LacksDomain(domain string) bool {
	isUnder := func(group string) bool { return group == domain || strings.HasSuffix(group, "."+domain) }
	mayServe := func(gap stuck.Gap) bool { return isUnder(gap.GroupVersion.Group) }
	return len(v.unboundedDiscoveryGaps()) == 0 && !slices.ContainsFunc(v.APIGroups(), isUnder) && !slices.ContainsFunc(v.shared.discoveryGaps, mayServe)
}

// memoize reads a thing the first time that any view asks for it. Others who ask
// meanwhile wait for the same answer.
func memoize[T any](v *View, key string, read func() T) T {
	e := v.shared
	e.mu.Lock()
	f, ok := e.reads[key]
	if !ok {
		f = sync.OnceValue(func() any { return read() })
		e.reads[key] = f
	}
	e.mu.Unlock()
	return f().(T)
}

// valueWithGaps is an answer together with the gaps behind it.
type valueWithGaps[T any] struct {
	value T
	gaps  []stuck.Gap
}

// memoizeWithGaps is memoize, with the gaps noted by every view that asks.
func memoizeWithGaps[T any](v *View, key string, read func() (T, []stuck.Gap)) T {
	answer := memoize(v, key, func() valueWithGaps[T] {
		value, gaps := read()
		return valueWithGaps[T]{value, gaps}
	})
	v.AddGaps(answer.gaps...)
	return answer.value
}

// APIGroups are the API groups that the server serves.
func (v *View) APIGroups() []string {
	return memoize(v, "API groups", func() []string {
		var groups []string
		for _, t := range v.shared.types {
			if t.Group != "" && !slices.Contains(groups, t.Group) {
				groups = append(groups, t.Group)
			}
		}
		return groups
	})
}
