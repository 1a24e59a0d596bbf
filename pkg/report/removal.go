package report

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RemovalPlan is the document of what force-remove would do.
type RemovalPlan struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Server     string           `json:"server"`
	Context    string           `json:"context,omitempty"`
	Token      string           `json:"token,omitempty"`
	Steps      []RemovalStep    `json:"steps"`
	Refusals   []RemovalRefusal `json:"refusals"`
	// Skipped are targets for which nothing is to be done.
	Skipped []RemovalRefusal `json:"skipped"`
	// Events are the Events that are posted once all is done. What they say
	// and count is then what was done.
	Events []RemovalRequest `json:"events,omitempty"`
}

// RemovalStep is one write of a plan.
type RemovalStep struct {
	Item `json:",inline"`
	// Remove are the finalizers that are taken off, RemoveSpec those of a
	// Namespace's spec.
	Remove     []string     `json:"remove"`
	RemoveSpec []string     `json:"removeSpec,omitempty"`
	LeftBehind []stuck.Cost `json:"leaves"`
	Overrides  []string     `json:"overrides"`
	// Requests are the writes, as they are sent.
	Requests []RemovalRequest `json:"requests"`
}

// RemovalRequest is one write.
type RemovalRequest struct {
	Verb string `json:"verb"`
	Path string `json:"path"`
	Body any    `json:"body"`
	// Whole says that the whole object is sent, as it is then, with the change
	// that stands in Body.
	Whole bool `json:"whole,omitempty"`
}

// RemovalRefusal is something that is not done, and the way past it.
type RemovalRefusal struct {
	Item   `json:",inline"`
	Reason string `json:"why"`
	Remedy string `json:"way"`
}

// RemovalResult is the document of what force-remove has done.
type RemovalResult struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Server     string        `json:"server"`
	Context    string        `json:"context,omitempty"`
	Backup     string        `json:"backup"`
	Items      []RemovalItem `json:"items"`
	// Deleted are the targets that were waited for and are gone, and Left those
	// that are still there.
	Deleted   []Item `json:"gone"`
	Remaining []Item `json:"left"`
}

// RemovalItem is the end of one step.
type RemovalItem struct {
	Item       `json:",inline"`
	Outcome    string `json:"outcome"`
	Message    string `json:"says"`
	BackupFile string `json:"saved,omitempty"`
	// Omitted is what was left out of the saved copy on purpose.
	Omitted string `json:"omitted,omitempty"`
}

// NewItem is an object as an item of a document.
func NewItem(o stuck.Object, verdict stuck.Verdict) Item {
	return newItem(&stuck.Diagnosis{Object: o, Verdict: verdict})
}
