package rook

import (
	"fmt"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NotEmpty holds a pool, a file system or a store of Rook's that is not
// empty.
var NotEmpty = kit.Cause{
	ID:    "rook-not-empty",
	Title: "Rook rejects the deletion of an object that contains data or has dependents",
	Doc: kit.Doc{
		Symptoms: "An object of `ceph.rook.io` has the condition `DeletionIsBlocked`, `PoolDeletionIsBlocked` or `RadosNamespaceDeletionIsBlocked`. The message of the condition names the content that remains: images in a pool, buckets or users of an object store, subvolume groups of a file system.",
		Why:      "Rook deletes a pool, a file system or an object store only when it is empty, to prevent accidental data loss. Often the remaining content is volumes with reclaim policy Retain whose claims were deleted.",
		Fix:      "Look at the content that the message names. If nobody needs the data, delete the claims and volumes that are stored there. The Rook operator then retries.",
		IfForced: "The data is left behind in Ceph, unmanaged, or is lost with the cluster.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Type.Group == group && o.Deleting() && o.HasFinalizer(finalizerOf(o))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var evidence, messages []string
		for _, c := range view.Conditions(o).Items {
			// Set again at each attempt of the operator (rook/rook
			// pkg/operator/ceph/reporting/reporting.go, pool/controller.go).
			if strings.HasSuffix(c.Type, "DeletionIsBlocked") && c.Status == "True" && c.Message != "" {
				messages = append(messages, apitext.Shorten(c.Message))
				evidence = append(evidence, fmt.Sprintf("condition %s is True (%s)", c.Type, c.Reason))
			}
		}
		if len(evidence) == 0 || o.Type.Kind == "CephCluster" {
			return nil
		}
		return []stuck.Finding{{
			Message:   "Rook rejects the deletion: " + strings.Join(messages, "; "),
			BlockedBy: o.Culprit(),
			Certainty: stuck.Likely,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerOf(o)},
			Evidence:  evidence,
			Steps: []stuck.Step{{
				Action:      stuck.ActionCheck,
				Description: "find the volumes stored in it (columns DRIVER and POOL); delete their claims, only if nobody needs the data",
				Command:     "kubectl get pv -o custom-columns=NAME:.metadata.name,DRIVER:.spec.csi.driver,CLUSTER:.spec.csi.volumeAttributes.clusterID,POOL:.spec.csi.volumeAttributes.pool,NAMESPACE:.spec.claimRef.namespace,CLAIM:.spec.claimRef.name",
			}},
			OnForce: stuck.Cost{Leaves: stuck.LeakData, Description: fmt.Sprintf("the data of %s is left behind in Ceph, unmanaged, or is lost with the Ceph cluster", o.Name)},
		}}
	},
}

func finalizerOf(o stuck.Object) string { return strings.ToLower(o.Type.Kind) + "." + group }
