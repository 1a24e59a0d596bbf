package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Catalog answers what is known of a finalizer. It never changes once it is made, so many may read it at once.
type Catalog struct {
	refs     []entryRef
	exact    map[string][]int
	patterns patternIndex
}

// entryRef is where an entry stands: in which file, and as which of its entries.
type entryRef struct {
	*catalogFile
	index int
}

func (p entryRef) entry() Entry    { return p.entries()[p.index] }
func (p entryRef) name() entryName { return p.names[p.index] }

// Entries returns everything that is known, sorted by area, project and name. It reads every file, side by side.
func (c *Catalog) Entries() []Entry {
	entries := make([]Entry, len(c.refs))
	var all sync.WaitGroup
	for i, p := range c.refs {
		all.Go(func() { entries[i] = p.entry() })
	}
	all.Wait()
	slices.SortStableFunc(entries, compareEntries)
	return entries
}

// Names returns every exact name, sorted, for completion.
func (c *Catalog) Names() []string { return slices.Sorted(maps.Keys(c.exact)) }

// compareEntries is the order of area, project and name.
func compareEntries(a, b Entry) int {
	return cmp.Or(
		strings.Compare(a.Area, b.Area),
		strings.Compare(strings.ToLower(a.Project), strings.ToLower(b.Project)),
		strings.Compare(a.Name(), b.Name()),
	)
}

// newCatalog makes a catalog of the entries at these places.
func newCatalog(refs []entryRef) (*Catalog, error) {
	c := &Catalog{refs: refs, exact: map[string][]int{}}
	for i, p := range refs {
		title := p.name()
		if !title.pattern {
			c.exact[title.text] = append(c.exact[title.text], i)
			continue
		}
		if err := c.patterns.add(Pattern(title.text), i); err != nil {
			return nil, err
		}
	}
	c.patterns.buildLengths()
	return c, nil
}

// entryRefs are the places of all entries of some files.
func entryRefs(files ...*catalogFile) []entryRef {
	var refs []entryRef
	for _, file := range files {
		for i := range file.names {
			refs = append(refs, entryRef{file, i})
		}
	}
	return refs
}

// findDuplicate is the first entry that mentions a name on a type that another one mentions too.
func findDuplicate(entries []Entry) error {
	byName := map[string][]Entry{}
	for _, entry := range slices.SortedStableFunc(slices.Values(entries), compareEntries) {
		for _, earlier := range byName[entry.Name()] {
			if shared := overlappingType(entry.Types, earlier.Types); shared != "" {
				return fmt.Errorf("%s:%d: %q on %s is already described at %s:%d",
					entry.file, entry.line, entry.Name(), shared, earlier.file, earlier.line)
			}
		}
		byName[entry.Name()] = append(byName[entry.Name()], entry)
	}
	return nil
}

// overlappingType is a type that both lists take in, or nothing.
func overlappingType(some, others []Type) Type {
	for _, t := range some {
		for _, other := range others {
			if t.overlaps(other) {
				return t
			}
		}
	}
	return ""
}
