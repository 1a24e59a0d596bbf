package stuck

// Step is one thing to do, and the command that does it where there is one.
type Step struct {
	Action      Action `json:"action" yaml:"action"`
	Description string `json:"description" yaml:"description"`
	Command     string `json:"command,omitempty" yaml:"command"`
	// ReadsLogs says that the command prints the logs of the controller.
	ReadsLogs bool `json:"-" yaml:"-"`
}

// Action is what a step does to the cluster.
type Action string

// The actions, from harmless to grave. ActionCheck only reads, ActionDelete deletes an
// object in the ordinary way, ActionForce removes finalizers in the place of their controller.
const (
	ActionCheck  Action = "check"
	ActionChange Action = "change"
	ActionDelete Action = "delete"
	ActionForce  Action = "force"
)

// IsKnown reports whether the action is one of those above.
func (a Action) IsKnown() bool {
	return a == ActionCheck || a == ActionChange || a == ActionDelete || a == ActionForce
}
