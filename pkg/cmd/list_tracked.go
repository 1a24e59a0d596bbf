package cmd

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// trackedObject is an object that is being deleted.
type trackedObject struct {
	object stuck.Object
	// printed is what was printed of it last, empty if nothing was.
	printed string
	changed bool // it changed since
	gone    bool
}

// handleChange takes in what a watch tells.
func (f *follower) handleChange(c live.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !c.Relisted {
		f.track(c.Object, c.Removed)
		return
	}
	for _, tracked := range f.objects {
		still := slices.ContainsFunc(c.Deleting, func(o stuck.Object) bool { return o.UID == tracked.object.UID })
		if tracked.object.Type.GVR() == c.Type.GVR() && !still {
			f.track(tracked.object, true)
		}
	}
	for _, object := range c.Deleting {
		f.track(object, false)
	}
}

// track takes in the state of an object. One of which nothing was said need not
// be remembered when it is gone.
func (f *follower) track(object stuck.Object, gone bool) {
	tracked, known := f.objects[object.UID]
	switch {
	case object.UID == "" || !known && (gone || !object.Deleting()):
		return
	case gone && tracked.printed == "":
		delete(f.objects, object.UID)
		return
	case !known:
		tracked = &trackedObject{}
		f.objects[object.UID] = tracked
	case tracked.object.ResourceVersion == object.ResourceVersion && tracked.gone == gone:
		return
	}
	tracked.object, tracked.gone, tracked.changed = object, gone, true
}

func (f *follower) markAllChanged() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, tracked := range f.objects {
		tracked.changed = true
	}
}

// pending are the objects of which something is to be said, and those that are
// gone.
func (f *follower) pending() (objects []stuck.Object, gone []*stuck.Diagnosis) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for uid, tracked := range f.objects {
		switch {
		case tracked.gone:
			gone = append(gone, &stuck.Diagnosis{Object: tracked.object})
			delete(f.objects, uid)
		case tracked.changed && len(f.listed([]stuck.Object{tracked.object})) > 0:
			tracked.changed = false
			objects = append(objects, tracked.object)
		}
	}
	slices.SortFunc(objects, stuck.Compare)
	slices.SortFunc(gone, func(a, b *stuck.Diagnosis) int { return stuck.Compare(a.Object, b.Object) })
	return objects, gone
}

// retryLater keeps an object of which it is not known whether it is gone, unless a
// watch has told of it since.
func (f *follower) retryLater(object stuck.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.objects[object.UID] == nil {
		f.objects[object.UID] = &trackedObject{object: object, printed: "that it is stuck", gone: true}
	}
}

// updatePrinted is what a diagnosis says that was not printed before: that the object is
// stuck, that something about it has changed, or nothing. It remembers what it says.
func (f *follower) updatePrinted(d *stuck.Diagnosis) report.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	tracked := f.objects[d.Object.UID]
	key := f.rowKey(d)
	if tracked == nil || tracked.printed == key {
		return ""
	}
	event := report.EventChanged
	if tracked.printed == "" {
		event = report.EventStuck
	}
	tracked.printed = key
	return event
}

// rowKey is all that is said of an object, but for how long it is stuck.
func (f *follower) rowKey(d *stuck.Diagnosis) string {
	if f.output.Format == "name" {
		return d.Object.Ref()
	}
	return strings.Join(report.RowKey(d), "\n")
}
