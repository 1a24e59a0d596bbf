package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceDeleted is an object whose namespace no longer exists.
var NamespaceDeleted = kit.Cause{
	ID:    "namespace-gone",
	Title: "The object's namespace no longer exists",
	Doc: kit.Doc{
		Symptoms: "`kubectl get -A` lists an object in a namespace that `kubectl get namespace` does not know.",
		Why:      "Somebody forced the namespace away through its finalize subresource while it still held objects. They stay in etcd, and nothing can be changed in a namespace that does not exist.",
		Fix:      "Create the namespace again: the objects are then within reach, and deleting the namespace deletes them properly.",
		IfForced: "See the object's own finalizers.",
	},
	Applies: func(o stuck.Object) bool { return o.NamespaceMissing },
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if !view.Namespace(o.Namespace).Absent() {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("its namespace %s no longer exists", o.Namespace),
			BlockedBy: stuck.Culprit{Kind: "Namespace", Name: o.Namespace},
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Evidence:  []string{"it is still in etcd; the namespace was forced away while it held this object"},
			Steps: []stuck.Step{
				{Action: stuck.ActionChange, Description: "create the namespace again, which brings its objects within reach", Command: stuck.Shellf("kubectl create namespace %s", o.Namespace)},
				{Action: stuck.ActionDelete, Description: "then delete it properly", Command: stuck.Shellf("kubectl delete namespace %s", o.Namespace)},
			},
			OnForce: stuck.Cost{Leaves: stuck.LeakUnknown, Description: "whatever its finalizers stand for"},
		}}
	},
}
