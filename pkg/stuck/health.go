package stuck

import "slices"

// Health is what an examination of a cluster's list-watch has found.
type Health struct {
	// Version is that of the API server, such as "v1.37.1".
	Version string
	Checks  []Check
	// AvailableChecks is how many checks there are, of which not all need have been
	// made. Zero says that it is not known.
	AvailableChecks int
	// Narrowed says that only some types or one namespace were looked at.
	Narrowed bool
	// Types are the types that were examined, in order, each with what was
	// measured of it.
	Types []TypeHealth
	Gaps  []Gap
}

// Check is one section of an examination.
type Check struct {
	// Name is the name of the section, as --check takes it.
	Name string
	// Summary says in one line what was looked at, and how it does.
	Summary  string
	Problems []Problem
	// Incomplete says that not everything could be looked at.
	Incomplete bool
}

// State is how bad the worst of a section is.
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

// Worst is how bad the worst of all sections is.
func (h Health) Worst() State {
	state := Healthy
	for _, c := range h.Checks {
		state = worse(state, c.State())
	}
	return state
}

// Incomplete says that not everything could be looked at, so that nothing that
// was not found can be called well.
func (h Health) Incomplete() bool {
	return len(h.Gaps) > 0 || slices.ContainsFunc(h.Checks, func(c Check) bool { return c.Incomplete })
}

// State is how something does.
type State string

// The states, from good to bad. A problem is Unhealthy, something that does not
// work, or Warning, something that works and may not for long, or may hurt.
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

// Problem is one thing that is not well.
type Problem struct {
	State State `json:"state"`
	// Reason is the kind of problem in one word, such as "watch-cut". Those of one
	// kind are told alike.
	Reason string `json:"reason"`
	// Subject is what is not well. Its name is a type where it is a type that is.
	Subject  Culprit  `json:"subject"`
	Summary  string   `json:"summary"`
	Evidence []string `json:"evidence"`
	// Impact says who suffers from it, and how.
	Impact []string `json:"impact"`
	Steps  []Step   `json:"steps"`
}

// TypeHealth is what was measured of one type. What was not measured is
// empty or nil.
type TypeHealth struct {
	Type string `json:"type"`
	// List says "ok", or why the type cannot be listed.
	List        string  `json:"list,omitempty"`
	ListSeconds Seconds `json:"listSeconds,omitempty"`
	// Objects is how many there are, as far as the server tells with its first.
	Objects *int64 `json:"objects,omitempty"`
	// Watch says how the watch went, and FirstSeconds after which time the first
	// event or bookmark came through it.
	Watch             string  `json:"watch,omitempty"`
	FirstEventSeconds Seconds `json:"firstSeconds,omitempty"`
	// Informer says how the informer did, SyncSeconds after which time it had
	// everything, Relists how often it had to begin anew.
	Informer    string  `json:"informer,omitempty"`
	SyncSeconds Seconds `json:"syncSeconds,omitempty"`
	Relists     int     `json:"relists,omitempty"`
	WatchErrors int     `json:"watchErrors,omitempty"`
	// InformerVersion and Latest are the resourceVersion that the informer came to and
	// the one that the server was at.
	InformerVersion string `json:"lastSeen,omitempty"`
	ServerVersion   string `json:"latest,omitempty"`
	// Watchers is how many watches are open on it at the API server.
	Watchers *int `json:"watchers,omitempty"`
}

// Seconds is a duration in seconds.
type Seconds float64
