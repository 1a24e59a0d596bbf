package wait

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// remaining are the targets that still exist, in order.
func (t *tracker) remaining() []stuck.Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sortedTargets()
}

func (t *tracker) sortedTargets() []stuck.Object {
	var out []stuck.Object
	for _, i := range t.targets {
		out = append(out, i.object)
	}
	slices.SortFunc(out, stuck.Compare)
	return out
}

// takeDeleted are the targets that were deleted since the last call.
func (t *tracker) takeDeleted() []stuck.Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	deleted := t.deleted
	t.deleted = nil
	slices.SortFunc(deleted, stuck.Compare)
	return deleted
}

// lastMoved is when something was last deleted, or a finalizer removed, and lastUnread when
// something could not be read.
func (t *tracker) lastMoved() (moved, unread time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.moved, t.unread
}

// progress is what is left now.
func (t *tracker) progress(now time.Time) stuck.Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := stuck.Progress{
		Total: t.total, Remaining: t.sortedTargets(), Gaps: t.sortedGaps(),
		LastMoved: now.Add(t.moved.Sub(t.clock())), GraceEnd: t.graceEnd(now),
	}
	types, finalizers := map[stuck.Tally]int{}, map[stuck.Tally]int{}
	for _, i := range t.content {
		types[stuck.Tally{Name: i.object.Type.String(), Singular: i.object.Type.Singular()}]++
	}
	for _, items := range []map[stuck.ObjectKey]*item{t.targets, t.content} {
		for _, i := range items {
			for _, finalizer := range i.object.Finalizers {
				finalizers[stuck.Tally{Name: finalizer}]++
			}
		}
	}
	out.Content, out.Finalizers = tallies(types), tallies(finalizers)
	return out
}

func (t *tracker) sortedGaps() []stuck.Gap {
	var out []stuck.Gap
	for _, source := range slices.Sorted(maps.Keys(t.gaps)) {
		out = append(out, t.gaps[source])
	}
	return out
}

// hasGracePeriod reports whether an object is within its grace period.
func (t *tracker) hasGracePeriod(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.graceEnd(now).IsZero()
}

// graceEnd is when the last grace period ends: until then nothing has to move.
func (t *tracker) graceEnd(now time.Time) time.Time {
	var end time.Time
	for _, items := range []map[stuck.ObjectKey]*item{t.targets, t.content} {
		for _, i := range items {
			if at := i.object.DeletionTime; at.After(now) && at.After(end) {
				end = at
			}
		}
	}
	return end
}

// tallies are counts in order, the highest first.
func tallies(counts map[stuck.Tally]int) []stuck.Tally {
	var out []stuck.Tally
	for tally, n := range counts {
		tally.Objects = n
		out = append(out, tally)
	}
	slices.SortFunc(out, func(a, b stuck.Tally) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(a.Name, b.Name))
	})
	return out
}
