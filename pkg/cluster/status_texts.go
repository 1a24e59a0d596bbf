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

// failurePattern are the words by which a sentence, or a reason in CamelCase, is known to mention a failure. A failover is none.
var failurePattern = regexp.MustCompile(`(?i)error|exception|fail([^o]|$)|denied|forbidden|unauthorized|not authorized|refused|rejected|` +
	`cannot|could not|unable|not ?found|missing|(does not|doesn't) exist|no such|unreachable|timed out|timeout|exceeded|expired|` +
	`invalid|x509|conflict|violation|too large|not ?empty|\bin use\b|inuse`)

// MentionsFailure reports whether a sentence or a reason is known to mention a failure.
func MentionsFailure(text string) bool { return failurePattern.MatchString(text) }

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
		if ok && MentionsFailure(text) {
			out.Items = append(out.Items, StatusText{Field: "status." + field, Text: text})
		}
	}
	return out
}
