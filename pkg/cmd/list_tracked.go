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
	// printed is the last row that was printed of it, empty if none was.
	printed string
	changed bool // since then
	gone    bool
}

// handleChange records what a watch reports.
func (f *follower) handleChange(c live.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !c.Relisted {
		f.track(c.Object, c.Removed)
		return
	}
	for _, tracked := range f.objects {
		still := slices.ContainsFunc(c.Deleting, func(o stuck.Object) bool { return o.UID == tracked.object.UID })
		if isListed(c, tracked.object) && !still {
			f.track(tracked.object, true)
		}
	}
	for _, object := range c.Deleting {
		f.track(object, false)
	}
}

// isListed reports whether an object that exists would be in the list of a change. Objects that
// were named are listed one by one.
func isListed(c live.Change, o stuck.Object) bool {
	return o.Type.GVR() == c.Type.GVR() && (c.Selection.Name == "" || c.Selection.Name == o.Name) &&
		(c.Selection.Namespace == "" || o.Namespace == "" || c.Selection.Namespace == o.Namespace)
}

// track records the state of an object. One that was never printed is forgotten when it
// is gone.
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

// pending are the objects that have changed, and those that are gone.
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
// watch has reported it since.
func (f *follower) retryLater(object stuck.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.objects[object.UID] == nil {
		f.objects[object.UID] = &trackedObject{object: object, printed: "unknown", gone: true}
	}
}

// updatePrinted is the event of a diagnosis, empty if its row was printed before: Stuck
// the first time, Changed later. It remembers the row.
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

// rowKey is everything in the row of an object that does not change with time alone.
func (f *follower) rowKey(d *stuck.Diagnosis) string {
	if f.output.Format == "name" {
		return d.Object.Ref()
	}
	return strings.Join(report.RowKey(d), "\n")
}
