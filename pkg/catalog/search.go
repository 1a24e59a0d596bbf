package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Search returns the entries that hold every word of the text in their name, project, area, types or component,
// best first: names before projects before the rest. An empty text finds everything.
func (c *Catalog) Search(text string) []Entry {
	wanted := strings.Fields(strings.ToLower(text))
	type hit struct {
		entry Entry
		rank  int
	}
	var hits []hit
	for _, entry := range c.Entries() {
		if rank := entry.rank(wanted); rank > 0 {
			hits = append(hits, hit{entry, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	found := make([]Entry, 0, len(hits))
	for _, h := range hits {
		found = append(found, h.entry)
	}
	return found
}

// rank is 1 for the best place in which the words stand, more for lesser places, and 0 when a word is missing.
func (e Entry) rank(wanted []string) int {
	worst := 1
	for _, word := range wanted {
		rank := e.rankOf(word)
		if rank == 0 {
			return 0
		}
		worst = max(worst, rank)
	}
	return worst
}

func (e Entry) rankOf(word string) int {
	texts := []string{e.Name() + " " + e.Example, e.Project + " " + e.Area, e.searchText()}
	for i, text := range texts {
		if strings.Contains(strings.ToLower(text), word) {
			return i + 1
		}
	}
	return 0
}

func (e Entry) searchText() string {
	var text strings.Builder
	for _, t := range e.Types {
		text.WriteString(string(t) + " ")
	}
	text.WriteString(strings.Join(e.Component.Workloads, " ") + " " + strings.Join(e.Component.Namespaces, " "))
	return text.String()
}

// Similar returns up to count entries whose names are close to one that is not known, closest first: a slip of the
// pen, or a sibling under the same domain.
func (c *Catalog) Similar(name string, count int) []Entry {
	type hit struct {
		entry    Entry
		distance int
	}
	var hits []hit
	for _, entry := range c.Entries() {
		other := cmp.Or(entry.Finalizer, entry.Example)
		editDistance := EditDistance(strings.ToLower(name), strings.ToLower(other))
		if editDistance <= 2+len(name)/5 || shareDomain(name, other) {
			hits = append(hits, hit{entry, editDistance})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.distance, b.distance) })
	var near []Entry
	for _, h := range hits[:min(count, len(hits))] {
		near = append(near, h.entry)
	}
	return near
}

// shareDomain reports whether both names are under one domain.
func shareDomain(one, other string) bool {
	one, _, _ = strings.Cut(strings.ToLower(one), "/")
	other, _, _ = strings.Cut(strings.ToLower(other), "/")
	return one == other && strings.Contains(one, ".") || sharedDomain(one, other) != ""
}

// EditDistance counts the single letters to add, drop or change to make one text the other.
func EditDistance(one, other string) int {
	row := make([]int, len(other)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(one) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(other) {
			change := diagonal
			if one[i] != other[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(other)]
}
