package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// WriteTooLarge is an object that has grown so large that etcd rejects the writes of its
// controller.
var WriteTooLarge = kit.Cause{
	ID:    "write-too-large",
	Title: "The object is too large for etcd to store the writes of its controller",
	Doc: kit.Doc{
		Symptoms: "A condition, the status or a Warning event of the object quotes `etcdserver: request is too large`. A dry run of the same update succeeds. The object takes nearly 1.5 MiB.",
		Why:      "etcd rejects requests larger than 1.5 MiB by default (`--max-request-bytes`). A controller that lets the status grow, such as a history without a limit, fills the object up to that limit, and can then neither report nor finish. A dry run does not reach etcd.",
		Fix:      "Make the object smaller: remove the history from its status (`--subresource=status`), large annotations, or data. The controller then retries.",
		IfForced: "The cleanup by the controller is skipped. Removing a finalizer makes the object smaller, but adds an entry to managedFields: the write may be rejected too.",
	},
	ByController: func(view *cluster.View, w controller.Controller) []stuck.Finding {
		q, ok := kit.QuotedErrorOf(view, w)
		if !ok || !q.TooLarge {
			return nil
		}
		c := controller.RunningCandidates(view, w)[0]
		f := stuck.Finding{
			Message:   fmt.Sprintf("etcd rejects the writes of %s: the object is too large", kit.ControllerName(w, c)),
			BlockedBy: w.Object.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Evidence:  []string{q.Source + ": " + q.Message},
			OnForce:   kit.CostWithoutController(w),
		}
		if bytes, known := view.SizeOf(w.Object); known && bytes >= kit.NearEtcdLimit {
			f.Evidence, f.Steps = append(f.Evidence, kit.SizeLine(w.Object, bytes)), kit.ShrinkSteps(w.Object)
		} else if known {
			// The request that failed may have been one for another object.
			f.Message = fmt.Sprintf("etcd rejects a write of %s: its request is too large", kit.ControllerName(w, c))
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s itself takes %d bytes as JSON: the rejected request was larger, or for another object", w.Object.Ref(), bytes))
			f.Steps = []stuck.Step{{Action: stuck.ActionCheck, Description: "read in the log of " + c.Ref() + " which object it writes", Command: c.LogsCommand()}}
		}
		f.Evidence = slices.Concat(f.Evidence, controller.CheckHealth(view, c.Workload).Evidence, w.ClueTexts(c))
		return []stuck.Finding{f}
	},
}
