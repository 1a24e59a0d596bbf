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

// ClueTexts are the clues as sentences: those that point at a workload say so.
func (c Controller) ClueTexts() []string {
	if c.Workload == nil {
		return c.Clues
	}
	var out []string
	for _, clue := range c.Clues {
		out = append(out, strings.ToLower(c.Workload.Kind)+"/"+c.Workload.Name+" is probably the controller: it "+clue)
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
