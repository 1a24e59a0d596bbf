package controller

import (
	"fmt"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

const (
	// ProgressWindow is how long a controller's last write to the object counts as work on it.
	ProgressWindow = 5 * time.Minute
	// progressLimit is how long a deletion may last for such writes to mean progress. Some
	// controllers write the time into the status in every round, whatever else they achieve.
	progressLimit = time.Hour
)

// IsSlow reports whether the deletion of an object has lasted so long that a write to it does
// not mean any more that its finalizer will be removed.
func IsSlow(view *cluster.View, w Controller) bool {
	return !w.Object.DeletionTime.IsZero() && view.Now().Sub(w.Object.DeletionTime) > progressLimit
}

// slowCleanupLines say that a deletion lasts long although the controller may still work on it.
func slowCleanupLines(view *cluster.View, w Controller) []string {
	if !IsSlow(view, w) {
		return nil
	}
	var out []string
	for _, m := range Writers(view, w) {
		if w.isWrittenSinceDeletion(m) && !SetsOtherFinalizer(view, w, m.Name) && view.Now().Sub(m.LastWrite) <= ProgressWindow {
			out = append(out, fmt.Sprintf("field manager %s wrote to the object%s and has not removed the finalizer; whether the cleanup makes progress could not be checked", m.Name, agoText(view, m.LastWrite)))
		}
	}
	return out
}
