package flux

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizer is on all of Flux's types.
const finalizer = "finalizers.fluxcd.io"

var kustomizationKind = schema.GroupKind{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}

// needsPrune reports whether the controller wants to prune before it removes the finalizer: only
// then does it need a way into the cluster (fluxcd/kustomize-controller
// internal/controller/kustomization_controller.go, finalizerShouldDeleteResources
// and finalize). Without the service account that it is to act as, it does not.
func needsPrune(view *cluster.View, k Kustomization) bool {
	if k.Spec.Suspend || len(k.Status.Inventory.Entries) == 0 {
		return false
	}
	switch k.Spec.DeletionPolicy {
	case "", "MirrorPrune":
		if !k.Spec.Prune {
			return false
		}
	case "Orphan":
		return false
	}
	if k.Spec.ServiceAccountName == "" {
		return true
	}
	exists, _ := view.ServiceAccountExists(k.Namespace, k.Spec.ServiceAccountName)
	return exists
}

// suspendStep is how Flux removes the finalizer without pruning.
func suspendStep(o stuck.Object, description string) stuck.Step {
	return stuck.Step{Action: stuck.ActionChange, Description: description, Command: stuck.Kubectlf(o.Namespace, `patch %s --type merge -p '{"spec":{"suspend":true}}'`, o.Ref())}
}
