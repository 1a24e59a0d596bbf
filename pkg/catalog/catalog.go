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
	places   []place
	exact    map[string][]int
	patterns patternIndex
}

// place is where an entry stands: in which book, and as which of its entries.
type place struct {
	*book
	at int
}

func (p place) entry() Entry { return p.entries()[p.at] }
func (p place) title() title { return p.titles[p.at] }

// Entries returns everything that is known, sorted by area, project and name. It reads every book, side by side.
func (c *Catalog) Entries() []Entry {
	entries := make([]Entry, len(c.places))
	var all sync.WaitGroup
	for i, p := range c.places {
		all.Go(func() { entries[i] = p.entry() })
	}
	all.Wait()
	slices.SortStableFunc(entries, inOrder)
	return entries
}

// Names returns every exact name, sorted, for completion.
func (c *Catalog) Names() []string { return slices.Sorted(maps.Keys(c.exact)) }

// inOrder is the order of area, project and name.
func inOrder(a, b Entry) int {
	return cmp.Or(
		strings.Compare(a.Area, b.Area),
		strings.Compare(strings.ToLower(a.Project), strings.ToLower(b.Project)),
		strings.Compare(a.Title(), b.Title()),
	)
}

// index makes a catalogue of the entries at these places.
func index(places []place) (*Catalog, error) {
	c := &Catalog{places: places, exact: map[string][]int{}}
	for i, p := range places {
		title := p.title()
		if !title.pattern {
			c.exact[title.text] = append(c.exact[title.text], i)
			continue
		}
		if err := c.patterns.add(Pattern(title.text), i); err != nil {
			return nil, err
		}
	}
	c.patterns.finish()
	return c, nil
}

// placesOf are the places of all entries of some books.
func placesOf(books ...*book) []place {
	var places []place
	for _, b := range books {
		for at := range b.titles {
			places = append(places, place{b, at})
		}
	}
	return places
}

// contradiction is the first entry that speaks of a name on a type of which another one speaks too.
func contradiction(entries []Entry) error {
	titles := map[string][]Entry{}
	for _, entry := range slices.SortedStableFunc(slices.Values(entries), inOrder) {
		for _, earlier := range titles[entry.Title()] {
			if shared := sharedType(entry.Types, earlier.Types); shared != "" {
				return fmt.Errorf("%s:%d: %q on %s is already described at %s:%d",
					entry.file, entry.line, entry.Title(), shared, earlier.file, earlier.line)
			}
		}
		titles[entry.Title()] = append(titles[entry.Title()], entry)
	}
	return nil
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
