package stuck

import "fmt"

// Finding is one cause that holds for one object.
type Finding struct {
	// Cause is the id of the cause, a name in `ls pkg/cause`.
	Cause string
	// Summary says in a few words what holds the object, the culprit by name.
	Summary string
	Culprit Culprit
	Certainty
	// Verdict is what the finding means for what it explains. It is empty for
	// a finding that only says what the object waits for: that is then judged.
	Verdict Verdict
	// Explains names the finalizers that the finding accounts for. Empty
	// means that it accounts for the deletion as a whole.
	Explains []string
	Evidence []string
	Fix      []Step
	IfForced Cost
	// WaitsFor are the objects, themselves being deleted, that have to go first.
	WaitsFor []Object
}

// hasVerdict reports whether the finding is a verdict of its own, not only a link.
func (f Finding) hasVerdict() bool { return f.Verdict != "" }

// Culprit is the thing at fault.
type Culprit struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func (c Culprit) String() string {
	if c.Namespace == "" {
		return fmt.Sprintf("%s %s", c.Kind, c.Name)
	}
	return fmt.Sprintf("%s %s/%s", c.Kind, c.Namespace, c.Name)
}

// Certainty is how far a finding can be trusted. Anything weaker than Likely
// is not a finding.
type Certainty string

const (
	// Proven means that the API server itself said so.
	Proven Certainty = "proven"
	// Likely means that several clues agree.
	Likely Certainty = "likely"
)

// Step is one thing to do, and the command that does it where there is one.
type Step struct {
	What    string `json:"what"`
	Command string `json:"command,omitempty"`
}

// Cost is what stays behind when a finalizer is removed by force.
type Cost struct {
	Leak Leak   `json:"leak"`
	What string `json:"what"`
}

// Leak is the kind of thing that stays behind after a forced removal.
type Leak string

// The leaks, from harmless to grave. LeakUnknown is treated as grave.
const (
	LeakNothing  Leak = "nothing"
	LeakObjects  Leak = "cluster objects"
	LeakExternal Leak = "external resources"
	LeakData     Leak = "data"
	LeakUnknown  Leak = "unknown"
)

// Gap is a source that could not be read, and why. What lies behind a gap is
// unknown, never absent.
type Gap struct {
	Source string `json:"source"`
	Error  string `json:"error"`
	// MissingPermission is the right that would close the gap, nil where another right
	// would not help.
	MissingPermission *Permission `json:"-"`
}

// Permission is what RBAC would have to allow: a verb on a resource, or on a path.
type Permission struct {
	Verb     string
	Group    string
	Resource string
	Path     string
}

// OpenCause is a cause that could not be ruled out, because of a gap.
type OpenCause struct {
	Cause  string `json:"cause"`
	Source string `json:"source"`
}
