package stuck

import (
	"slices"
	"time"
)

// Health is what a health check of a cluster found.
type Health struct {
	// Version is that of the API server, such as "v1.37.1".
	Version string
	// Duration is how long the checks took.
	Duration time.Duration
	Checks   []Check
	// AvailableChecks is how many checks there are, of which not all need have run.
	AvailableChecks int
	// OnlyTypes are the types that the checks were limited to, empty for all, and
	// Namespace the namespace, empty for all.
	OnlyTypes []string
	Namespace string
	// StuckObjects is how many objects are stuck in Terminating, of those that could
	// be read.
	StuckObjects int
	// DeletingNamespaces are the namespaces that are being deleted, nil where they could not be
	// read.
	DeletingNamespaces []Object
	// Types are the types that were checked, in order, each with what was measured
	// of it.
	Types []TypeHealth
	Gaps  []Gap
	// Interrupted says that the user interrupted the checks, so that they found less.
	Interrupted bool
}

// Check is one section of a health check.
type Check struct {
	// Name is the name of the section, as --check takes it.
	Name string
	// Summary is the result in one line, Details what else was measured.
	Summary  string
	Details  []string
	Problems []Problem
	// Incomplete says that not everything could be checked.
	Incomplete bool
	// Inconclusive says that a problem that was not found may exist: nothing was checked, or one
	// of several API servers answered, for itself only.
	Inconclusive bool
}

// State is the worst state of the section.
func (c Check) State() State {
	state := Healthy
	if c.Incomplete {
		state = Incomplete
	}
	for _, p := range c.Problems {
		state = worse(state, p.State)
	}
	return state
}

// Worst is the worst state of all sections.
func (h Health) Worst() State {
	state := Healthy
	for _, c := range h.Checks {
		state = worse(state, c.State())
	}
	return state
}

// Incomplete reports whether something could not be checked, so that what has no
// problem is not known to be healthy.
func (h Health) Incomplete() bool {
	return len(h.Gaps) > 0 || slices.ContainsFunc(h.Checks, func(c Check) bool { return c.Incomplete })
}

// BlockedObjects is how many objects cannot be deleted because of the problems.
func (h Health) BlockedObjects() int {
	var problems []Problem
	for _, c := range h.Checks {
		problems = append(problems, c.Problems...)
	}
	return len(BlockedBy(problems...))
}

// State is how healthy something is.
type State string

// The states, from good to bad. A problem is Unhealthy, which does not work, or a
// Warning, which works and may stop working or cause a problem.
const (
	Healthy    State = "Healthy"
	Incomplete State = "Incomplete"
	Warning    State = "Warning"
	Unhealthy  State = "Unhealthy"
)

// statesByRank are the states from good to bad.
var statesByRank = []State{Healthy, Incomplete, Warning, Unhealthy}

// Rank orders states: the worse, the higher.
func (s State) Rank() int { return slices.Index(statesByRank, s) }

func worse(a, b State) State {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}

// Problem is one thing that is not healthy.
type Problem struct {
	State State `json:"state"`
	// Reason is the kind of problem in one word, such as "watch-cut". Problems of one
	// kind have the same impact and similar steps.
	Reason string `json:"reason"`
	// Causes are the ids of the causes that explain names for the objects that the problem
	// blocks, empty where it has no cause for them.
	Causes []string `json:"causes"`
	// Subject is what is not healthy. Its name is a type where a type is not healthy.
	Subject Culprit `json:"subject"`
	// Message says in one line what is wrong, with the subject by name.
	Message  string   `json:"message"`
	Evidence []string `json:"evidence"`
	// Blocks are the objects being deleted that cannot be deleted because of the problem.
	Blocks []Object `json:"-"`
	// Impact says what else does not work because of the problem.
	Impact []string `json:"impact"`
	Steps  []Step   `json:"steps"`
}

// BlockedBy are the objects that some problems block, each once, in order.
func BlockedBy(problems ...Problem) []Object {
	var all []Object
	for _, p := range problems {
		all = append(all, p.Blocks...)
	}
	slices.SortFunc(all, Compare)
	return slices.CompactFunc(all, func(a, b Object) bool { return Compare(a, b) == 0 })
}

// TypeHealth is what was measured of one type. What was not measured is
// empty or nil.
type TypeHealth struct {
	Type string `json:"type"`
	// List says "ok", or why the type cannot be listed.
	List        string  `json:"list,omitempty"`
	ListSeconds Seconds `json:"listSeconds,omitempty"`
	// Objects is how many there are, as far as the API server says in its first page.
	Objects *int64 `json:"objects,omitempty"`
	// Watch is the result of the watch, and FirstEventSeconds when its first event or
	// bookmark arrived.
	Watch             string  `json:"watch,omitempty"`
	FirstEventSeconds Seconds `json:"firstEventSeconds,omitempty"`
	// Informer is the result of the informer, SyncSeconds when it was synced, Relists
	// how often it had to list again.
	Informer    string  `json:"informer,omitempty"`
	SyncSeconds Seconds `json:"syncSeconds,omitempty"`
	Relists     int     `json:"relists,omitempty"`
	WatchErrors int     `json:"watchErrors,omitempty"`
	// InformerVersion is the last resourceVersion of the informer, ServerVersion that of
	// the API server.
	InformerVersion string `json:"informerVersion,omitempty"`
	ServerVersion   string `json:"serverVersion,omitempty"`
	// Watchers is how many watches are open on it at the API server.
	Watchers *int `json:"watchers,omitempty"`
}

// Seconds is a duration in seconds.
type Seconds float64
