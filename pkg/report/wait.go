package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WaitEvent is the document of one event of the wait command.
type WaitEvent struct {
	metav1.TypeMeta `json:",inline"`
	Time            string        `json:"time"`
	Event           WaitEventType `json:"event"`
	// Object is the object that was deleted.
	Object *ListedObject `json:"object,omitempty"`
	// Objects is how many objects are waited for in all, and Remaining are those that
	// still exist.
	Objects   int         `json:"objects"`
	Remaining []Reference `json:"remaining"`
	// Content counts what is left in the namespaces and of the types among them.
	Content    []ResourceTally  `json:"content"`
	Finalizers []FinalizerTally `json:"finalizers"`
	// LastMoved is when something was last deleted, or a finalizer removed.
	LastMoved string `json:"lastMoved"`
	// GracePeriodEnd is when the last grace period ends, left out where all have ended.
	GracePeriodEnd string `json:"gracePeriodEnd,omitempty"`
	Gaps           []Gap  `json:"gaps"`
}

// WaitEventType is what a WaitEvent reports.
type WaitEventType string

// The events. Stalled and TimedOut are the last ones of a wait that did not succeed.
const (
	WaitProgress WaitEventType = "Progress"
	WaitDeleted  WaitEventType = "Deleted"
	WaitStalled  WaitEventType = "Stalled"
	WaitTimedOut WaitEventType = "TimedOut"
)

// ResourceTally is how many objects there are of a type.
type ResourceTally struct {
	Resource string `json:"resource"`
	Objects  int    `json:"objects"`
}

// FinalizerTally is how many objects have a finalizer.
type FinalizerTally struct {
	Finalizer string `json:"finalizer"`
	Objects   int    `json:"objects"`
}

// NewWaitEvent is the document of an event, after which so much is left.
func NewWaitEvent(event WaitEventType, object *stuck.Object, p stuck.Progress, now time.Time) WaitEvent {
	out := WaitEvent{
		TypeMeta: metav1.TypeMeta{APIVersion: APIVersion, Kind: "WaitEvent"},
		Time:     timestamp(now), Event: event, Objects: p.Total, LastMoved: timestamp(p.LastMoved), Gaps: newGaps(p.Gaps),
		Remaining: []Reference{}, Content: []ResourceTally{}, Finalizers: []FinalizerTally{},
	}
	if object != nil {
		listed := newListedObject(*object)
		out.Object = &listed
	}
	if !p.GraceEnd.IsZero() {
		out.GracePeriodEnd = timestamp(p.GraceEnd)
	}
	for _, o := range p.Remaining {
		out.Remaining = append(out.Remaining, Reference(o.Culprit()))
	}
	for _, tally := range p.Content {
		out.Content = append(out.Content, ResourceTally{Resource: tally.Name, Objects: tally.Objects})
	}
	for _, tally := range p.Finalizers {
		out.Finalizers = append(out.Finalizers, FinalizerTally{Finalizer: tally.Name, Objects: tally.Objects})
	}
	return out
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
