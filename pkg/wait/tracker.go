package wait

import (
	"sync"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// item is an object that is waited for, or the content of one.
type item struct {
	object stuck.Object
	// holder is the object whose content it is, the zero key for a target.
	holder stuck.ObjectKey
	// late says that the object appeared after its holder was read. That it is deleted
	// is no progress: something may create another as often.
	late bool
	// fewestFinalizers is how few the object has had: one that is added and removed
	// again and again is no progress.
	fewestFinalizers int
	deleting         bool
}

// tracker knows what is left. It is safe for concurrent use.
type tracker struct {
	clock func() time.Time

	mu      sync.Mutex
	total   int
	targets map[stuck.ObjectKey]*item
	content map[stuck.ObjectKey]*item
	// names are the keys of all of them by their paths: a name can be used again.
	names   map[string]stuck.ObjectKey
	deleted []stuck.Object // targets, since they were last taken
	// scopes are the watches of content.
	scopes []Scope
	// gaps are what cannot be watched or read now, by its source.
	gaps  map[string]stuck.Gap
	moved time.Time
	// unread is when the last read or watch failed. What was not seen may have moved.
	unread time.Time
	// changed has a value when something happened to a target. Content may be a hundred
	// thousand objects: it is looked at now and then.
	changed chan struct{}
}

func newTracker(targets []stuck.Object, clock func() time.Time) *tracker {
	t := &tracker{
		clock: clock, moved: clock(), changed: make(chan struct{}, 1),
		targets: map[stuck.ObjectKey]*item{}, content: map[stuck.ObjectKey]*item{}, names: map[string]stuck.ObjectKey{}, gaps: map[string]stuck.Gap{},
	}
	for _, o := range targets {
		t.targets[o.Key()], t.names[o.Path()] = newItem(o), o.Key()
	}
	t.total = len(t.targets)
	return t
}

func newItem(o stuck.Object) *item {
	return &item{object: o, fewestFinalizers: len(o.Finalizers), deleting: o.Deleting()}
}

// handleChange records the state of one object, or that it was deleted.
func (t *tracker) handleChange(o stuck.Object, deleted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if deleted {
		t.remove(o.Key())
		return
	}
	t.update(o)
}

// handleList records all objects of a scope.
func (t *tracker) handleList(s Scope, objects []stuck.Object) {
	exists := map[stuck.ObjectKey]bool{}
	for _, o := range objects {
		exists[o.Key()] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.gaps, s.String())
	for _, items := range []map[stuck.ObjectKey]*item{t.targets, t.content} {
		for key, i := range items {
			if s.covers(i.object) && !exists[key] {
				t.remove(key)
			}
		}
	}
	for _, o := range objects {
		t.update(o)
	}
}

// handleFailure records that something cannot be read or watched now, and handleSuccess that
// it can.
func (t *tracker) handleFailure(gap stuck.Gap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unread, t.gaps[gap.Source] = t.clock(), gap
}

func (t *tracker) handleSuccess(source string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.gaps, source)
}

func (t *tracker) item(key stuck.ObjectKey) *item {
	if i := t.targets[key]; i != nil {
		return i
	}
	return t.content[key]
}

// update records the state of an object.
func (t *tracker) update(o stuck.Object) {
	key := o.Key()
	if known, ok := t.names[o.Path()]; ok && known != key {
		t.remove(known) // its name was used again
	}
	i := t.item(key)
	if i == nil {
		t.add(o)
		return
	}
	if o.ResourceVersion != "" && i.object.ResourceVersion == o.ResourceVersion {
		return
	}
	begins := o.Deleting() && !i.deleting
	if begins || len(o.Finalizers) < i.fewestFinalizers {
		t.moved = t.clock()
	}
	if begins && t.targets[key] != nil {
		t.notify()
	}
	i.object, i.fewestFinalizers, i.deleting = o, min(i.fewestFinalizers, len(o.Finalizers)), o.Deleting()
}

// add records a new object, if it is content of a target.
func (t *tracker) add(o stuck.Object) {
	holder, held := t.holderOf(o)
	if !held {
		return
	}
	i := newItem(o)
	i.holder, i.late = holder, true
	t.content[o.Key()], t.names[o.Path()] = i, o.Key()
}

// remove records that an object was deleted, and forgets what it held.
func (t *tracker) remove(key stuck.ObjectKey) {
	i := t.item(key)
	if i == nil {
		return
	}
	if t.targets[key] != nil {
		t.deleted = append(t.deleted, i.object)
		t.notify()
		delete(t.targets, key)
		for contentKey, content := range t.content {
			if content.holder == key {
				delete(t.content, contentKey)
				delete(t.names, content.object.Path())
			}
		}
	}
	delete(t.content, key)
	delete(t.names, i.object.Path())
	if !i.late {
		t.moved = t.clock()
	}
}

func (t *tracker) notify() {
	select {
	case t.changed <- struct{}{}:
	default:
	}
}
