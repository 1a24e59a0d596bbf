package stuck

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Finding is one cause that holds for one object.
type Finding struct {
	// Cause is the id of the cause, a name in `ls pkg/cause`.
	Cause string `json:"id"`
	// Message says in a few words what holds the object, the culprit by name.
	Message   string    `json:"message"`
	BlockedBy Culprit   `json:"blockedBy"`
	Certainty Certainty `json:"certainty"`
	// Verdict is what the finding means for what it explains. It is empty for
	// a finding that only says what the object waits for: that is then judged.
	Verdict Verdict `json:"-"`
	// Explains names the finalizers that the finding accounts for. Empty
	// means that it accounts for the deletion as a whole.
	Explains []string `json:"explains"`
	Evidence []string `json:"evidence"`
	// Errors are the lines of Evidence in which a controller reports an error, where the finding rests on nothing else.
	Errors []string `json:"-"`
	Steps  []Step   `json:"steps"`
	// OnlyWaits says that there is nothing to change: a snapshot that is being taken ends by itself, unless its controller, which
	// another finding names, does not run.
	OnlyWaits bool `json:"-"`
	// OnForce is empty for a finding that merely adds something to another.
	OnForce Cost `json:"onForce,omitzero"`
	// HoldsWithoutProbe says that the verdict does not depend on what a dry run would
	// answer: no controller is left whose write could be rejected, and a rejection of
	// the user's own write shows when it is tried.
	HoldsWithoutProbe bool `json:"-"`
	// Doubt is what contradicts a verdict ControllerGone, too little to withdraw it. To
	// remove the finalizers then takes the user's consent.
	Doubt string `json:"-"`
	// WaitsFor are the objects, themselves being deleted, that have to go first.
	WaitsFor []Object `json:"-"`
}

// IsLink reports whether the finding has no verdict of its own: it only says what
// the object waits for, or adds something to other findings.
func (f Finding) IsLink() bool { return f.Verdict == "" }

// Urgency orders findings of one verdict, the greatest first: what is certain comes before what is likely, and what only has to be
// waited for after both.
func (f Finding) Urgency() int {
	switch {
	case f.OnlyWaits:
		return 0
	case f.Certainty == Confirmed:
		return 2
	}
	return 1
}

// isReason reports whether the finding says why the object is stuck. A link that
// names no objects merely adds something.
func (f Finding) isReason() bool { return !f.IsLink() || len(f.WaitsFor) > 0 }

// FindingsByFinalizer are the findings that account for a finalizer, in their order: an object may have thousands of both. The
// findings are those of the slice, and not copies.
func FindingsByFinalizer(findings []Finding) map[string][]*Finding {
	index := map[string][]*Finding{}
	for i := range findings {
		f := &findings[i]
		for _, name := range f.Explains {
			if all := index[name]; len(all) == 0 || all[len(all)-1] != f { // a finalizer may be named twice
				index[name] = append(all, f)
			}
		}
	}
	return index
}

// concerns reports whether the finding is about one of some finalizers, or about
// the object as a whole.
func (f *Finding) concerns(finalizers sets.Set[string]) bool {
	return len(f.Explains) == 0 || finalizers.HasAny(f.Explains...)
}

// Certainty is how far a finding can be trusted. Anything weaker than Likely
// is not a finding.
type Certainty string

const (
	// Confirmed means that the API server itself said so.
	Confirmed Certainty = "Confirmed"
	// Likely means that several clues agree.
	Likely Certainty = "Likely"
)

// Gap is a source that could not be read, and why. What lies behind a gap is
// unknown, never absent.
type Gap struct {
	Source string `json:"source"`
	Error  string `json:"error"`
	// Type and Namespace say what could not be listed, where the gap is a list: an
	// empty Namespace means all of them. For any other gap both are empty.
	Type      schema.GroupResource `json:"-"`
	Namespace string               `json:"-"`
	// GroupVersion is the API that could not be discovered, where the gap is one of
	// discovery.
	GroupVersion schema.GroupVersion `json:"-"`
	// MissingPermission is the right that would close the gap, nil where another right
	// would not help.
	MissingPermission *Permission `json:"-"`
	// ProbeSkipped means that the source is a dry run that was not sent, because the user
	// may not patch the object or has disabled dry runs.
	ProbeSkipped bool `json:"-"`
}

// Permission is what RBAC would have to allow: a verb on a resource, or on a path.
type Permission struct {
	Verb     string
	Group    string
	Resource string
	Path     string
}

// OpenCause is a cause that could not be checked, because of a gap.
type OpenCause struct {
	Cause  string `json:"cause"`
	Source string `json:"source"`
	// ProbeSkipped is that of the gap.
	ProbeSkipped bool `json:"-"`
}
