package olm

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	groupOLM = "operators.coreos.com"
	// finalizerCSV is that of a ClusterServiceVersion (operator-framework/operator-lifecycle-manager
	// pkg/controller/operators/olm/operator.go, processFinalizer).
	finalizerCSV = "operators.coreos.com/csv-cleanup"
)

// RolesRemain links an operator that OLM installed to the cluster-wide
// rights that OLM gave it.
var RolesRemain = kit.Cause{
	ID:    "olm-roles-remain",
	Title: "An operator that OLM installed waits until its cluster roles are deleted",
	Doc: kit.Doc{
		Symptoms: "A ClusterServiceVersion with the finalizer `operators.coreos.com/csv-cleanup` is being deleted. ClusterRoles or ClusterRoleBindings whose labels `olm.owner` and `olm.owner.namespace` name the ClusterServiceVersion are being deleted too.",
		Why:      "OLM deletes the cluster-wide permissions and the webhooks of an operator, then waits until the roles and bindings are deleted. A role or a binding has a finalizer that only another controller removes.",
		Fix:      "Look at the role or the binding: whatever blocks the role or the binding also blocks the operator.",
		IfForced: "The permissions and the webhooks of the operator are left behind, and a webhook without its operator rejects requests.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is(groupOLM, "ClusterServiceVersion") && o.Deleting() && o.HasFinalizer(finalizerCSV)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var types []stuck.Type
		for _, kind := range []string{"ClusterRole", "ClusterRoleBinding"} {
			if t, served := view.TypeForKind(schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: kind}); served {
				types = append(types, t)
			}
		}
		// CSVOwnerSelector of operator-lifecycle-manager pkg/lib/ownerutil.
		label := "olm.owner=" + o.Name + ",olm.owner.namespace=" + o.Namespace + ",olm.owner.kind=ClusterServiceVersion"
		deleting, _ := kit.SplitByDeleting(view.ObjectsLabeled("", label, types...).Items)
		if len(deleting) == 0 {
			return nil
		}
		return []stuck.Finding{{
			Message:   kit.NotDeletedText(deleting),
			BlockedBy: kit.CulpritAmong(deleting, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{finalizerCSV},
			WaitsFor:  deleting,
			OnForce:   stuck.Cost{Leaves: stuck.LeakObjects, Description: "the cluster roles, bindings and webhook configurations of the operator are left behind"},
		}}
	},
}
