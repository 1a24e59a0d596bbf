package report

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ListedCause is a root cause in a document: why one or more objects are stuck, whether
// they have it themselves or wait for others that do.
type ListedCause struct {
	Cluster string `json:"cluster,omitempty"`
	// ID is left out for finalizers that no cause explains.
	ID      string        `json:"id,omitempty"`
	Verdict stuck.Verdict `json:"verdict"`
	// BlockedBy is left out where each object is itself what has to be fixed, or nothing
	// is left to be fixed.
	BlockedBy *stuck.Culprit `json:"blockedBy,omitempty"`
	// Finalizers are those that wait for the cause, where BlockedBy is left out.
	Finalizers []string    `json:"finalizers,omitempty"`
	Objects    []Reference `json:"objects"`
	// Namespaces are those of the objects, and Namespaces among the objects.
	Namespaces []string `json:"namespaces"`
}

// listedCauses are the root causes of what is stuck, those of most objects first.
func listedCauses(diagnoses []*stuck.Diagnosis) []ListedCause {
	out := []ListedCause{}
	for _, r := range RootCauses(diagnoses) {
		cause := ListedCause{ID: r.Cause, Verdict: r.Verdict, Finalizers: r.finalizers, Objects: []Reference{}, Namespaces: []string{}}
		if r.blockedBy.Name != "" {
			blockedBy := r.blockedBy.WithAPIVersion()
			cause.BlockedBy = &blockedBy
		}
		for _, d := range r.Objects {
			cause.add(d.Object)
		}
		out = append(out, cause)
	}
	return out
}

func (c *ListedCause) add(o stuck.Object) {
	c.Objects = append(c.Objects, Reference(o.Culprit()))
	namespace := o.Namespace
	if o.IsNamespace() {
		namespace = o.Name
	}
	if i, found := slices.BinarySearch(c.Namespaces, namespace); namespace != "" && !found {
		c.Namespaces = slices.Insert(c.Namespaces, i, namespace)
	}
}
