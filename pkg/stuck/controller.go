package stuck

import "strings"

// Controller is the controller that should have removed a finalizer, as far as it
// is known.
type Controller struct {
	Finalizer string `json:"finalizer"`
	Project   string `json:"project,omitempty"`
	// Workload is what runs the controller, nil while it is not known.
	Workload  *Culprit  `json:"workload,omitempty"`
	Certainty Certainty `json:"certainty,omitempty"`
	// Clues say why it is held to be the controller.
	Clues   []string `json:"clues"`
	Running RunState `json:"healthy"`
	Health  []string `json:"evidence"`
	// LogsCommand prints the log of the workload.
	LogsCommand string `json:"-"`
}

// ClueTexts are the clues as sentences: those that point at a workload say so, and name its namespace where others
// may be the controller too.
func (c Controller) ClueTexts(hasRivals bool) []string {
	if c.Workload == nil {
		return c.Clues
	}
	prefix := strings.ToLower(c.Workload.Kind) + "/" + c.Workload.Name + " is probably the controller: it "
	if hasRivals {
		prefix = c.Workload.String() + " may be the controller: it "
	}
	var out []string
	for _, clue := range c.Clues {
		out = append(out, prefix+clue)
	}
	return out
}

// RunState reports whether a controller is running.
type RunState string

// What is known of a controller's life.
const (
	Running         RunState = "Yes"
	NotRunning      RunState = "No"
	RunStateUnknown RunState = "Unknown"
)
