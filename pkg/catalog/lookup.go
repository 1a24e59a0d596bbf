package catalog

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// MatchMethod says how a lookup knows a finalizer.
type MatchMethod string

// The ways to know a finalizer, from best to none.
const (
	Exact        MatchMethod = "Exact"
	ByPattern    MatchMethod = "Pattern"
	ByConvention MatchMethod = "Convention"
	Unknown      MatchMethod = "Unknown"
)

// Match is what a lookup found.
type Match struct {
	Finalizer string      `json:"finalizer"`
	How       MatchMethod `json:"knownBy"`
	// Entries are what the catalog says, for Exact and ByPattern: several when several programs remove the name
	// and the subject's type does not tell which.
	Entries []Entry `json:"entries,omitempty"`
	// OtherType says that the subject's type is known and no entry lists it: the name is known, its use here not.
	OtherType bool `json:"otherType,omitempty"`
	// Params are what a pattern's placeholders took.
	Params map[string]string `json:"params,omitempty"`
	// Convention, BelongsTo and Reason are set for ByConvention: which convention, the API group, custom resource or
	// field manager that it points to, and why. A marker has BelongsTo too: the API group of the object's type.
	Convention Convention `json:"convention,omitempty"`
	BelongsTo  string     `json:"belongsTo,omitempty"`
	Reason     string     `json:"reason,omitempty"`

	// what kubectl calls the subject's type
	typeName string
}

// Known reports whether anything is known, be it by convention.
func (m Match) Known() bool { return m.How != Unknown }

// Resolution returns the first entry's steps with the object's namespace and name, and the placeholders' values, filled
// into the commands. It is empty when no entry is known.
func (m Match) Resolution(namespace, name string) []stuck.Step {
	if len(m.Entries) == 0 {
		return nil
	}
	return m.Entry(namespace, name).Resolution
}

// Entry is the first entry, with the object's namespace and name, and the placeholders' values, filled into the commands
// of all its steps. There must be one.
func (m Match) Entry(namespace, name string) Entry {
	return m.Entries[0].Fill(m.Values(namespace, name, m.typeName))
}

// Values are what the placeholders of a command stand for: the object, its type, and what those of a pattern took.
func (m Match) Values(namespace, name, typeName string) map[string]string {
	values := map[string]string{"namespace": namespace, "name": name, "type": typeName}
	maps.Copy(values, m.Params)
	return values
}

// Lookup says what is known of a finalizer on an object. It reads no cluster and takes microseconds, once the file
// that holds the name has been read.
func (c *Catalog) Lookup(finalizer string, subject Subject) Match {
	if found := c.exact[finalizer]; len(found) > 0 {
		return c.withEntries(Match{Finalizer: finalizer, How: Exact}, found, subject)
	}
	if found, values := c.byPattern(finalizer, subject); len(found) > 0 {
		return c.withEntries(Match{Finalizer: finalizer, How: ByPattern, Params: values}, found, subject)
	}
	if match, ok := byConvention(finalizer, subject); ok {
		return match
	}
	return Match{Finalizer: finalizer, How: Unknown}
}

// withEntries fills a match with the entries that list the subject's type, or with all of them when none does.
func (c *Catalog) withEntries(match Match, found []int, subject Subject) Match {
	match.typeName = subject.typeName()
	all := make([]Entry, len(found))
	for i, ref := range found {
		all[i] = c.refs[ref].entry()
	}
	slices.SortStableFunc(all, compareEntries)
	if kind := match.Params["kind"]; kind != "" && !subject.hasType() {
		all = entriesOfKind(all, kind)
	}
	for _, entry := range all {
		if entry.Matches(subject) {
			match.Entries = append(match.Entries, entry)
		}
	}
	if len(match.Entries) == 0 {
		match.Entries, match.OtherType = all, subject.hasType()
	}
	if !match.Entries[0].IdentifiesController() {
		match.BelongsTo = subject.Group
	}
	return match
}

// entriesOfKind returns the entries that list a type of the lower-case kind that the name itself holds, or all when none
// does.
func entriesOfKind(all []Entry, named string) []Entry {
	var found []Entry
	for _, entry := range all {
		if slices.ContainsFunc(entry.Types, func(t Type) bool { kind, _ := t.split(); return strings.EqualFold(kind, named) }) {
			found = append(found, entry)
		}
	}
	if len(found) == 0 {
		return all
	}
	return found
}

// byPattern returns the entries of the most specific pattern that takes the name. A pattern without a domain in its
// text says too little by itself: it counts only on the types it lists.
func (c *Catalog) byPattern(name string, subject Subject) (found []int, values map[string]string) {
	most := 0
	c.patterns.find(name, func(p candidate, captured map[string]string) bool {
		if !p.hasDomain() && subject.hasType() && !c.refs[p.entry].entry().Matches(subject) {
			return true
		}
		switch {
		case p.literal > most:
			most, found, values = p.literal, []int{p.entry}, captured
		case p.literal == most:
			found = append(found, p.entry)
		}
		return true
	})
	return found, values
}
