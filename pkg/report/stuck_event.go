package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// StuckEvent is the document of one event of a watch.
type StuckEvent struct {
	metav1.TypeMeta `json:",inline"`
	Time            string `json:"time"`
	Event           Event  `json:"event"`
	// Object is the object after the event, or before it was deleted.
	Object StuckObject `json:"object"`
}

// NewStuckEvents are the documents of what has happened to some objects.
func NewStuckEvents(event Event, diagnoses []*stuck.Diagnosis, now time.Time) []StuckEvent {
	var out []StuckEvent
	for _, d := range diagnoses {
		out = append(out, StuckEvent{
			TypeMeta: metav1.TypeMeta{APIVersion: APIVersion, Kind: "StuckEvent"},
			Time:     now.UTC().Format(time.RFC3339), Event: event, Object: newStuckObject(d),
		})
	}
	return out
}
