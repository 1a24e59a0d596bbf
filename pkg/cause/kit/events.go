package kit

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WarningEvents are the Warning events on an object that give one of the reasons and
// were last seen since a moment, each as a line of evidence.
func WarningEvents(view *cluster.View, o stuck.Object, since time.Time, reasons ...string) []string {
	var out []string
	for _, e := range view.Events(o).Items {
		if e.Type == corev1.EventTypeWarning && slices.Contains(reasons, e.Reason) && !cluster.LastEventTime(e).Before(since) {
			out = append(out, fmt.Sprintf("event %s (%d times, last %s): %s", e.Reason, max(e.Count, 1), Ago(view, cluster.LastEventTime(e)), apitext.Shorten(e.Message)))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
