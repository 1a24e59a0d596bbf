package stuck

import (
	"slices"
	"strings"
)

// Cost is what is left behind when a finalizer is removed by force.
type Cost struct {
	Leaves      Leak   `json:"leaves"`
	Description string `json:"description"`
	// Unexamined says that whoever made the cost did not look what the finalizers are
	// for: what the catalog knows of them takes its place. Note then stays at its end.
	Unexamined bool   `json:"-"`
	Note       string `json:"-"`
}

// WithNote is the cost with a remark at its end.
func (c Cost) WithNote(note string) Cost {
	c.Description, c.Note = c.Description+note, c.Note+note
	return c
}

// printed is what is printed of the cost: equal for two that say the same.
func (c Cost) printed() Cost { return Cost{Leaves: c.Leaves, Description: c.Description} }

// Leak is the kind of thing that is left behind after a forced removal.
type Leak string

// The leaks. LeakUnknown is treated as grave.
const (
	LeakNothing  Leak = "Nothing"
	LeakObjects  Leak = "ClusterObjects"
	LeakExternal Leak = "ExternalResources"
	LeakData     Leak = "Data"
	LeakUnknown  Leak = "Unknown"
)

// leaksByRank are the leaks from harmless to grave.
var leaksByRank = []Leak{LeakNothing, LeakObjects, LeakExternal, LeakUnknown, LeakData}

// Rank orders leaks: the graver, the higher.
func (l Leak) Rank() int { return slices.Index(leaksByRank, l) }

// Words are the leak as a person writes it: external resources.
func (l Leak) Words() string {
	switch l {
	case LeakObjects:
		return "cluster objects"
	case LeakExternal:
		return "external resources"
	}
	return strings.ToLower(string(l))
}

// Text is the leak as the object of a sentence: what would be left behind.
func (l Leak) Text() string {
	if l == LeakUnknown {
		return "something unknown"
	}
	return l.Words()
}

// IsAny reports whether the leak is one of some.
func (l Leak) IsAny(leaks ...Leak) bool { return slices.Contains(leaks, l) }

// NeedsConsent reports whether the leak has to be accepted on its own before
// anything is removed by force.
func (l Leak) NeedsConsent() bool { return l.IsAny(LeakData, LeakExternal, LeakUnknown) }

// SortCosts puts the gravest cost first, and leaves out what was said before.
func SortCosts(costs []Cost) []Cost {
	var out []Cost
	seen := map[Cost]bool{}
	for _, c := range costs {
		if c.Description != "" && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Cost) int { return b.Leaves.Rank() - a.Leaves.Rank() })
	return out
}
