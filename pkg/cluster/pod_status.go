package cluster

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// LastEventTime is when an event last happened, by whichever of its times is set;
// zero where none is.
func LastEventTime(e corev1.Event) (last time.Time) {
	last = e.LastTimestamp.Time
	if e.Series != nil && e.Series.LastObservedTime.After(last) {
		last = e.Series.LastObservedTime.Time
	}
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	return last
}

// IsPodReady reports whether a Pod is ready, and not being deleted.
func IsPodReady(pod corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}
