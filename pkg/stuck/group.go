package stuck

import (
	"fmt"
	"strings"
	"time"
)

// MaxUngrouped is how many similar objects are shown one by one. More are shown as
// one line with their number.
const MaxUngrouped = 5

// Group is a number of similar objects: they differ only in their names and
// ages, and are stuck for the same reasons.
type Group []*Diagnosis

// GroupBy puts together the items with one key, in the order of the first of each.
func GroupBy[T any, K comparable](items []T, key func(T) K) [][]T {
	index := map[K]int{}
	var groups [][]T
	for _, item := range items {
		k := key(item)
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// ListKey is lists of text as part of a key for GroupBy: each text is quoted, so
// that the key is equal for equal lists alone.
func ListKey(lists ...any) string { return fmt.Sprintf("%+q", lists) }

// Count is a number of things: "1 cause", "2 causes".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// JoinFirst names the first of many, and says how many more there are:
// "a, b and 3 more".
func JoinFirst(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// GroupSimilar groups similar diagnoses. Groups of at most MaxUngrouped are split
// again; the order is that of the first of each.
func GroupSimilar(diagnoses []*Diagnosis) []Group {
	var out []Group
	for _, g := range GroupBy(diagnoses, (*Diagnosis).groupKey) {
		if len(g) > MaxUngrouped {
			out = append(out, g)
			continue
		}
		for _, d := range g {
			out = append(out, Group{d})
		}
	}
	return out
}

// groupKey is equal for similar diagnoses.
func (d *Diagnosis) groupKey() string {
	var b strings.Builder
	o := d.Object
	fmt.Fprintf(&b, "%q %q %t %t %q %q %q", o.Type.GVK(), o.Namespace, o.NamespaceMissing, o.Deleting(), o.Finalizers, o.SpecFinalizers, d.Verdict)
	for _, f := range d.Findings {
		fmt.Fprintf(&b, " %q %q %q", f.Cause, f.Message, f.Certainty)
	}
	return b.String()
}

// First stands for all.
func (g Group) First() *Diagnosis { return g[0] }

// String is the object by name, or the objects by number: "500 widgets.example.com".
func (g Group) String() string {
	if len(g) == 1 {
		return g[0].Object.Ref()
	}
	return fmt.Sprintf("%d %s", len(g), g[0].Object.Type)
}

// MaxStuckDuration is the longest that any of the group has been stuck.
func (g Group) MaxStuckDuration(now time.Time) time.Duration {
	var oldest time.Duration
	for _, d := range g {
		oldest = max(oldest, d.Object.StuckDuration(now))
	}
	return oldest
}
