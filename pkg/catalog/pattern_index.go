package catalog

import "slices"

// patternIndex finds the patterns that may take a name without trying them all: by the text a name must begin
// with, or, for patterns that begin with a placeholder, by the text it must end with.
type patternIndex struct {
	byPrefix, bySuffix map[string][]candidate
	// the distinct lengths of the keys, longest first, so that the most specific pattern is tried first
	prefixes, suffixes []int
}

// candidate is a pattern that may take a name, and the number of its entry's place.
type candidate struct {
	compiledPattern
	entry int
}

func (x *patternIndex) add(pattern Pattern, place int) error {
	c, err := pattern.compile()
	if err != nil {
		return err
	}
	if x.byPrefix == nil {
		x.byPrefix, x.bySuffix = map[string][]candidate{}, map[string][]candidate{}
	}
	if prefix := c.prefix(); prefix != "" {
		x.byPrefix[prefix] = append(x.byPrefix[prefix], candidate{c, place})
		return nil
	}
	x.bySuffix[c.suffix()] = append(x.bySuffix[c.suffix()], candidate{c, place})
	return nil
}

// buildLengths notes the lengths of the keys, once every pattern is in.
func (x *patternIndex) buildLengths() {
	x.prefixes, x.suffixes = keyLengths(x.byPrefix), keyLengths(x.bySuffix)
}

func keyLengths(keys map[string][]candidate) []int {
	var all []int
	for key := range keys {
		if !slices.Contains(all, len(key)) {
			all = append(all, len(key))
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	return all
}

// find calls yield for every pattern that takes the name, until it says stop.
func (x *patternIndex) find(name string, yield func(candidate, map[string]string) bool) {
	try := func(some []candidate) bool {
		for _, c := range some {
			if values, ok := c.match(name); ok && !yield(c, values) {
				return false
			}
		}
		return true
	}
	for _, n := range x.prefixes {
		if n < len(name) && !try(x.byPrefix[name[:n]]) {
			return
		}
	}
	for _, n := range x.suffixes {
		if n < len(name) && !try(x.bySuffix[name[len(name)-n:]]) {
			return
		}
	}
}
