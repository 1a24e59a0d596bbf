package flux

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// KubeconfigMissing holds a Kustomization whose cluster cannot be reached
// any more.
var KubeconfigMissing = kit.Cause{
	ID:    "flux-kubeconfig-missing",
	Title: "The Secret with the kubeconfig of the Flux Kustomization does not exist",
	Doc: kit.Doc{
		Symptoms: "A Kustomization has the finalizer `finalizers.fluxcd.io`, and the Secret in its `spec.kubeConfig.secretRef` does not exist. kustomize-controller logs `unable to read KubeConfig secret`.",
		Why:      "The Kustomization applied objects to another cluster, and kustomize-controller prunes these objects before it removes the finalizer. Without the kubeconfig, kustomize-controller cannot connect to that cluster and retries indefinitely. A missing service account or `spec.suspend` does not block the deletion: in both cases kustomize-controller removes the finalizer and leaves the objects behind.",
		Fix:      "Recreate the Secret. Only the existence of the Secret is checked, never its contents. If the other cluster no longer exists, suspend the Kustomization: kustomize-controller then removes the finalizer without pruning.",
		IfForced: "The objects that the Kustomization applied are left behind in the target cluster, unmanaged.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.GroupKind() == kustomizationKind && o.HasFinalizer(finalizer)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		k, ok := cluster.ReadObject[Kustomization](view, o)
		if !ok || !needsPrune(view, *k) {
			return nil
		}
		kubeconfig := k.Spec.KubeConfig
		if kubeconfig == nil || kubeconfig.SecretRef == nil || !kit.IsValidName(kubeconfig.SecretRef.Name) ||
			!view.SecretMetadata(o.Namespace, kubeconfig.SecretRef.Name).Absent() {
			return nil
		}
		name := kubeconfig.SecretRef.Name
		return []stuck.Finding{{
			Message:   fmt.Sprintf("secret/%s%s (kubeconfig of the target cluster) does not exist", name, stuck.InNamespace(o.Namespace)),
			BlockedBy: stuck.Culprit{Kind: "Secret", Namespace: o.Namespace, Name: name},
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizer},
			Evidence: []string{
				fmt.Sprintf("%s names secret/%s in spec.kubeConfig.secretRef", o.Ref(), name),
				"Flux has to prune first what it applied in the target cluster: " + stuck.Count(len(k.Status.Inventory.Entries), "object"),
			},
			Steps: []stuck.Step{
				{
					Action:      stuck.ActionChange,
					Description: "recreate the Secret, from a kubeconfig that you still have",
					Command:     stuck.Kubectlf(o.Namespace, "create secret generic %s --from-file=value=kubeconfig.yaml", name),
				},
				suspendStep(o, "suspend the Kustomization, only if the target cluster no longer exists or may keep the objects: Flux then removes the finalizer"),
			},
			OnForce: stuck.Cost{Leaves: stuck.LeakExternal, Description: "the applied objects are left behind in the target cluster, unmanaged"},
		}}
	},
}
