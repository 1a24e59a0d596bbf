package karpenter

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerNodeClass keeps an EC2NodeClass (aws/karpenter-provider-aws
// pkg/controllers/nodeclass/controller.go).
const finalizerNodeClass = "karpenter.k8s.aws/termination"

// NodeClassInUse holds a node class that node claims use.
var NodeClassInUse = kit.Cause{
	ID:    "karpenter-class-in-use",
	Title: "NodeClaims still use the Karpenter node class",
	Doc: kit.Doc{
		Symptoms: "An EC2NodeClass with the finalizer `karpenter.k8s.aws/termination` is being deleted, and NodeClaims name the EC2NodeClass in `spec.nodeClassRef`. An event on the EC2NodeClass says that the EC2NodeClass waits for the termination of NodeClaims.",
		Why:      "Karpenter keeps a node class while a node that was created from the class runs: the node needs the instance profile of the class.",
		Fix:      "Let Karpenter replace the nodes with nodes of another class, or delete the NodeClaims: Karpenter drains their nodes and terminates their instances. Karpenter then finishes the deletion of the class.",
		IfForced: "The instance profile and the launch templates are left behind in AWS.",
	},
	Applies: kit.DeletingWith(finalizerNodeClass),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		claims, served := view.TypeForKind(schema.GroupKind{Group: "karpenter.sh", Kind: "NodeClaim"})
		if !served {
			return nil
		}
		var users []stuck.Object
		for _, c := range cluster.ReadList[NodeClaim](view, claims, cluster.Selection{}).Items {
			ref := c.Spec.NodeClassRef
			if ref.Group == o.Type.Group && ref.Kind == o.Type.Kind && ref.Name == o.Name {
				users = append(users, stuck.ObjectOf(claims, c.ObjectMeta))
			}
		}
		if len(users) == 0 {
			return nil
		}
		slices.SortFunc(users, stuck.Compare)
		return []stuck.Finding{nodeClassFinding(o, users)}
	},
}

func nodeClassFinding(o stuck.Object, users []stuck.Object) stuck.Finding {
	deleting, left := kit.SplitByDeleting(users)
	f := stuck.Finding{
		Message:   kit.CountByType(users) + kit.Verb(users, " uses", " use") + " the node class",
		BlockedBy: kit.CulpritAmong(users, o),
		Certainty: stuck.Confirmed,
		Explains:  []string{finalizerNodeClass},
		WaitsFor:  deleting,
		OnForce:   stuck.Cost{Leaves: stuck.LeakExternal, Description: "the instance profile and the launch templates of the class are left behind in AWS"},
	}
	if len(left) == 0 {
		return f
	}
	f.Verdict, f.Evidence = stuck.Blocked, kit.NotDeletedLines(left, "names the class in spec.nodeClassRef")
	for _, claim := range left[:min(len(left), stuck.MaxUngrouped)] {
		f.Steps = append(f.Steps, stuck.Step{
			Action:      stuck.ActionDelete,
			Description: "delete the claim, once its pods may move: the node is drained and the instance terminated",
			Command:     stuck.Kubectlf("", "delete %s --wait=false", claim.Ref()),
		})
	}
	return f
}
