package argocd

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// OperationWaits holds an Application whose running operation waits for an object that
// is being deleted and does not go.
var OperationWaits = kit.Cause{
	ID:    "argocd-operation-waits",
	Title: "An Argo CD operation waits for an object that is itself stuck",
	Doc: kit.Doc{
		Symptoms: "An Application that is being deleted has `operation` set, and `status.operationState` is Running with a message such as `waiting for deletion of hook batch/Job/...` or `no new finalizers can be added if the object is being deleted`.",
		Why:      "Argo CD does not begin to delete an Application while an operation on the Application runs. The operation, usually a sync, waits for a hook that is being deleted, or repeatedly tries to add a finalizer of Argo CD to the hook. Another finalizer prevents the deletion of the hook.",
		Fix:      "Unblock the hook, or terminate the operation. Argo CD then continues the deletion.",
		IfForced: "The objects that the Application deployed are left behind, unmanaged.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.GroupKind() == applicationKind && len(finalizersOf(o)) > 0
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		app, ok := cluster.ReadObject[Application](view, o)
		if !ok || app.Operation == nil || app.Status.OperationState.Phase != "Running" || !waitsForDeletion(app.Status.OperationState.Message) {
			return nil
		}
		return []stuck.Finding{operationFinding(view, o, *app)}
	},
}

// waitsForDeletion reports whether the message of an operation mentions an object that is
// being deleted (argoproj/argo-cd gitops-engine/pkg/sync/sync_context.go; the
// other words are the API server's).
func waitsForDeletion(message string) bool {
	return strings.Contains(message, "no new finalizers can be added") || strings.Contains(message, "waiting for deletion of")
}

// hookPattern is how such a message names a Job.
var hookPattern = regexp.MustCompile(`(?:Job\.batch "|batch/Job/)([a-z0-9.-]*[a-z0-9])`)

func operationFinding(view *cluster.View, o stuck.Object, app Application) stuck.Finding {
	state := app.Status.OperationState
	f := stuck.Finding{
		Message:   "the running operation waits for an object that is being deleted",
		BlockedBy: o.Culprit(),
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  finalizersOf(o),
		Evidence:  []string{"status.operationState (Running) says: " + apitext.Shorten(state.Message)},
		Steps: []stuck.Step{{
			Action:      stuck.ActionChange,
			Description: "terminate the operation: Argo CD then continues with the deletion",
			Command:     stuck.Kubectlf(o.Namespace, `patch application.argoproj.io %s --type merge -p '{"status":{"operationState":{"phase":"Terminating"}}}'`, o.Name),
		}},
		OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: fmt.Sprintf("the objects that %s deployed to %s are left behind, unmanaged", o.Name, app.Destination())},
	}
	if !state.StartedAt.IsZero() {
		f.Evidence = append(f.Evidence, "the operation began "+kit.Ago(view, state.StartedAt.Time))
	}
	hook, found := hookOf(view, app)
	if !found {
		return f
	}
	f.Message = fmt.Sprintf("the running operation waits for %s, which is being deleted", hook.RefInNamespace())
	f.BlockedBy, f.Certainty, f.WaitsFor = hook.Culprit(), stuck.Confirmed, []stuck.Object{hook}
	return f
}

// hookOf is the Job that the message of the operation names, if it is in this cluster
// and is being deleted.
func hookOf(view *cluster.View, app Application) (stuck.Object, bool) {
	m := hookPattern.FindStringSubmatch(app.Status.OperationState.Message)
	namespace := app.Spec.Destination.Namespace
	jobs, served := view.TypeForKind(schema.GroupKind{Group: "batch", Kind: "Job"})
	if m == nil || !served || !app.isInCluster() || !kit.IsValidName(namespace, m[1]) {
		return stuck.Object{}, false
	}
	job := view.Metadata(jobs, namespace, m[1])
	if !job.Found() || job.Value.DeletionTimestamp == nil {
		return stuck.Object{}, false
	}
	return stuck.ObjectOf(jobs, job.Value.ObjectMeta), true
}
