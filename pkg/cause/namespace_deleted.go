package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceDeleted is an object whose namespace does not exist.
var NamespaceDeleted = kit.Cause{
	ID:    "namespace-gone",
	Title: "The namespace of the object does not exist",
	Doc: kit.Doc{
		Symptoms: "`kubectl get -A` lists an object in a namespace that `kubectl get namespace` does not list.",
		Why:      "The namespace was finalized by force, through its finalize subresource, while it contained objects. The objects were left behind in etcd. Objects in a namespace that does not exist cannot be changed.",
		Fix:      "Recreate the namespace: its objects can then be changed again. Deleting the namespace then deletes its objects.",
		IfForced: "The cleanup by the controllers of the object's finalizers is skipped.",
	},
	Applies: func(o stuck.Object) bool { return o.NamespaceMissing },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !view.Namespace(o.Namespace).Absent() {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("namespace/%s does not exist", o.Namespace),
			BlockedBy: stuck.Culprit{Kind: "Namespace", Name: o.Namespace},
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Evidence:  []string{"the object is left behind in etcd: the namespace was finalized by force while it contained the object"},
			Steps: []stuck.Step{
				{Action: stuck.ActionChange, Description: "recreate the namespace, so that its objects can be changed again", Command: stuck.Shellf("kubectl create namespace %s", o.Namespace)},
				{Action: stuck.ActionCheck, Description: "see what then removes the finalizers of the object: while it has any, the namespace would get stuck again", Command: o.Command("finalizers", "explain")},
				{Action: stuck.ActionDelete, Description: "when the object is deleted: delete the namespace", Command: stuck.Shellf("kubectl delete namespace %s", o.Namespace)},
			},
			OnForce: stuck.Cost{Leaves: stuck.LeakUnknown, Description: "cleanup by the finalizers of the object is skipped"},
		}}
	},
}
