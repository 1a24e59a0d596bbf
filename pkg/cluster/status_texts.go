package cluster

import (
	"regexp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// StatusText is a sentence in the status of an object, beside its conditions.
type StatusText struct{ Field, Text string }

// statusTextFields are the fields of a status in which controllers write sentences.
// cert-manager has reason, Cluster API failureMessage.
var statusTextFields = []string{"error", "lastError", "errorMessage", "failureMessage", "message", "reason"}

// failurePattern are the words by which a sentence is known to mention a failure.
var failurePattern = regexp.MustCompile(`(?i)\b(error|errors|fail|fails|failed|failure|cannot|could not|unable|not found|denied|forbidden|refused|timed out|invalid)\b`)

// StatusTexts are the sentences in the status of an object that mention a failure, in
// the words of its controller. In a namespace that is being deleted no Event
// can be created, so often nothing else says what goes wrong. A Secret has none.
func (v *View) StatusTexts(o stuck.Object) List[StatusText] {
	type reported struct {
		Status any `json:"status"` // of no form that is known
	}
	if o.Type.IsSecret() {
		return List[StatusText]{Complete: true}
	}
	read := ReadSimilar[reported](v, o.Type, o.Namespace, o.Name)
	if !read.Found() {
		return List[StatusText]{Complete: read.Absent()}
	}
	out := List[StatusText]{Complete: true}
	status, _ := read.Value.Status.(map[string]any)
	for _, field := range statusTextFields {
		text, ok := status[field].(string)
		if nested, isObject := status[field].(map[string]any); isObject {
			text, ok = nested["message"].(string)
		}
		if ok && failurePattern.MatchString(text) {
			out.Items = append(out.Items, StatusText{Field: "status." + field, Text: text})
		}
	}
	return out
}
