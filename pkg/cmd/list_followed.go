package cmd

import (
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// followed is an object that is being deleted.
type followed struct {
	object stuck.Object
	// said is what was printed of it last, empty if nothing was.
	said string
	due  bool // it changed since
	gone bool
}

// change takes in what a watch tells.
func (f *follower) change(c cluster.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !c.Anew {
		f.note(c.Object, c.Gone)
		return
	}
	for _, one := range f.objects {
		still := slices.ContainsFunc(c.Deleting, func(o stuck.Object) bool { return o.UID == one.object.UID })
		if one.object.Type.GVR() == c.Type.GVR() && !still {
			f.note(one.object, true)
		}
	}
	for _, object := range c.Deleting {
		f.note(object, false)
	}
}

// note takes in the state of an object. One of which nothing was said need not
// be remembered when it is gone.
func (f *follower) note(object stuck.Object, gone bool) {
	one, known := f.objects[object.UID]
	switch {
	case object.UID == "" || !known && (gone || !object.Deleting()):
		return
	case gone && one.said == "":
		delete(f.objects, object.UID)
		return
	case !known:
		one = &followed{}
		f.objects[object.UID] = one
	case one.object.ResourceVersion == object.ResourceVersion && one.gone == gone:
		return
	}
	one.object, one.gone, one.due = object, gone, true
}

func (f *follower) reconsider() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.objects {
		one.due = true
	}
}

// pending are the objects of which something is to be said, and those that are
// gone.
func (f *follower) pending() (objects []stuck.Object, gone []*stuck.Diagnosis) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for uid, one := range f.objects {
		switch {
		case one.gone:
			gone = append(gone, farewell(one.object))
			delete(f.objects, uid)
		case one.due && len(f.wanted([]stuck.Object{one.object})) > 0:
			one.due = false
			objects = append(objects, one.object)
		}
	}
	slices.SortFunc(objects, stuck.Compare)
	slices.SortFunc(gone, func(a, b *stuck.Diagnosis) int { return stuck.Compare(a.Object, b.Object) })
	return objects, gone
}

// askAgain keeps an object of which it is not known whether it is gone, unless a
// watch has told of it since.
func (f *follower) askAgain(object stuck.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.objects[object.UID] == nil {
		f.objects[object.UID] = &followed{object: object, said: "that it is stuck", gone: true}
	}
}

// farewell is the line of an object that is gone.
func farewell(object stuck.Object) *stuck.Diagnosis {
	object.Finalizers = nil
	return &stuck.Diagnosis{
		Object: object, Verdict: "-",
		Findings: []stuck.Finding{{Summary: "gone", Verdict: stuck.Progressing}},
	}
}

// news says whether a diagnosis is another than what was said last, and
// remembers it.
func (f *follower) news(d *stuck.Diagnosis) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.objects[d.Object.UID]
	word := f.word(d)
	if one == nil || one.said == word {
		return false
	}
	one.said = word
	return true
}

// word is all that is said of an object, but for how long it is stuck.
func (f *follower) word(d *stuck.Diagnosis) string {
	if f.output.Format == "name" {
		return d.Object.Ref()
	}
	return strings.Join(report.Words(d), "\n")
}
