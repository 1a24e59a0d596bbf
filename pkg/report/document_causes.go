package report

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RootCause is a cause that one or more objects are stuck for, whether they have it
// themselves or wait for others that do.
type RootCause struct {
	ID string `json:"id"`
	// BlockedBy is left out where each object is itself what has to be fixed, or nothing
	// is left to be fixed.
	BlockedBy *stuck.Culprit `json:"blockedBy,omitempty"`
	// Finalizers are those that wait for the cause, where BlockedBy is left out.
	Finalizers []string    `json:"finalizers,omitempty"`
	Objects    []Reference `json:"objects"`
	// Namespaces are those of the objects, and Namespaces among the objects.
	Namespaces []string `json:"namespaces"`
}

// rootCauses are the root causes of what is stuck, those of most objects first. An
// object with two root causes counts with both.
func rootCauses(diagnoses []*stuck.Diagnosis) []RootCause {
	out := []RootCause{}
	index := map[string]int{}
	for _, d := range diagnoses {
		if !d.Object.NeedsVerdict() {
			continue
		}
		counted := map[int]bool{}
		for _, cause := range rootCausesOf(d) {
			key := cause.key()
			i, ok := index[key]
			if !ok {
				i, out = len(out), append(out, cause)
				index[key] = i
			}
			if !counted[i] {
				counted[i] = true
				out[i].add(d.Object)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b RootCause) int { return len(b.Objects) - len(a.Objects) })
	return out
}

// rootCausesOf are the ends of all chains that begin at one object.
func rootCausesOf(d *stuck.Diagnosis) []RootCause {
	var out []RootCause
	for _, w := range d.All() {
		for _, f := range w.Findings {
			if f.IsLink() {
				continue
			}
			cause := RootCause{ID: f.Cause, Objects: []Reference{}, Namespaces: []string{}}
			// Where no controller is left, a finding names one of the objects in its place.
			if blockedBy := f.BlockedBy.WithAPIVersion(); f.Verdict == stuck.ControllerGone || blockedBy.Names(w.Object) {
				cause.Finalizers = slices.Sorted(slices.Values(f.Explains))
			} else {
				cause.BlockedBy = &blockedBy
			}
			out = append(out, cause)
		}
	}
	return out
}

func (c RootCause) key() string {
	if c.BlockedBy == nil {
		return stuck.ListKey(c.ID, c.Finalizers)
	}
	return stuck.ListKey(c.ID, c.BlockedBy.String())
}

func (c *RootCause) add(o stuck.Object) {
	c.Objects = append(c.Objects, Reference(o.Culprit()))
	namespace := o.Namespace
	if o.IsNamespace() {
		namespace = o.Name
	}
	if i, found := slices.BinarySearch(c.Namespaces, namespace); namespace != "" && !found {
		c.Namespaces = slices.Insert(c.Namespaces, i, namespace)
	}
}
