package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Catalog answers what is known of a finalizer. It never changes once it is built, so many may read it at once.
type Catalog struct {
	// entries are sorted by area, project and name
	entries  []Entry
	exact    map[string][]int
	patterns patternIndex
}

// Entries returns everything that is known, sorted by area, project and name.
func (c *Catalog) Entries() []Entry { return slices.Clone(c.entries) }

// Names returns every exact name, sorted, for completion.
func (c *Catalog) Names() []string { return slices.Sorted(maps.Keys(c.exact)) }

// build sorts and indexes entries, and refuses those that contradict each other.
func build(entries []Entry) (*Catalog, error) {
	c := &Catalog{entries: slices.Clone(entries), exact: map[string][]int{}}
	slices.SortStableFunc(c.entries, func(a, b Entry) int {
		return cmp.Or(
			strings.Compare(a.Area, b.Area),
			strings.Compare(strings.ToLower(a.Project), strings.ToLower(b.Project)),
			strings.Compare(a.Title(), b.Title()),
		)
	})
	titles := map[string][]int{}
	for i, entry := range c.entries {
		for _, earlier := range titles[entry.Title()] {
			if shared := sharedType(entry.Types, c.entries[earlier].Types); shared != "" {
				return nil, doubled(c.entries[earlier], entry, shared)
			}
		}
		titles[entry.Title()] = append(titles[entry.Title()], i)
		if entry.Finalizer != "" {
			c.exact[entry.Finalizer] = append(c.exact[entry.Finalizer], i)
			continue
		}
		if err := c.patterns.add(entry.Pattern, i); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", entry.file, entry.line, err)
		}
	}
	c.patterns.finish()
	return c, nil
}

// sharedType is a type that both lists take in, or nothing.
func sharedType(some, others []Type) Type {
	for _, t := range some {
		for _, other := range others {
			if t.overlaps(other) {
				return t
			}
		}
	}
	return ""
}

func doubled(first, second Entry, shared Type) error {
	return fmt.Errorf("%s:%d: %q on %s is already described at %s:%d",
		second.file, second.line, second.Title(), shared, first.file, first.line)
}
