package stuck

// Owner is the controller that should have removed a finalizer, as far as it
// is known.
type Owner struct {
	Finalizer string `json:"finalizer"`
	Project   string `json:"project,omitempty"`
	// Workload is what runs the controller, nil while it is not known.
	Workload  *Culprit  `json:"workload,omitempty"`
	Certainty Certainty `json:"certainty,omitempty"`
	// Clues say why it is held to be the owner.
	Clues  []string `json:"clues"`
	Alive  Alive    `json:"alive"`
	Health []string `json:"health"`
}

// Alive says whether a controller is running.
type Alive string

// What is known of a controller's life.
const (
	AliveYes     Alive = "yes"
	AliveNo      Alive = "no"
	AliveUnknown Alive = "unknown"
)
