package flux

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ObjectsRemain links a Kustomization to the objects for whose end Flux waits.
var ObjectsRemain = kit.Cause{
	ID:    "flux-objects-remain",
	Title: "A Flux Kustomization waits until the objects that it applied are deleted",
	Doc: kit.Doc{
		Symptoms: "A Kustomization has the finalizer `finalizers.fluxcd.io` and `spec.deletionPolicy: WaitForTermination`. Objects that it applied are being deleted and still exist. After the time in `spec.timeout`, an event says `failed to wait for resources termination`.",
		Why:      "With this policy kustomize-controller deletes what it applied and waits until it is deleted, but no longer than `spec.timeout` says, or `spec.interval` less 30 seconds. Then it removes the finalizer, whatever is left. A controller that restarts waits from the start again (finalize in fluxcd/kustomize-controller internal/controller/kustomization_controller.go).",
		Fix:      "Look at the objects that are still being deleted. The Kustomization needs no fix.",
		IfForced: "Objects that Flux has not deleted yet are left behind, unmanaged.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.GroupKind() == kustomizationKind && o.HasFinalizer(finalizer)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		k, ok := cluster.ReadObject[Kustomization](view, o)
		if !ok || k.Spec.DeletionPolicy != "WaitForTermination" || k.Spec.KubeConfig != nil || !needsPrune(view, *k) {
			return nil
		}
		deleting, _ := kit.SplitByDeleting(applied(view, *k))
		if len(deleting) == 0 {
			return nil
		}
		slices.SortFunc(deleting, stuck.Compare)
		return []stuck.Finding{{
			Message:   kit.NotDeletedText(deleting),
			BlockedBy: kit.CulpritAmong(deleting, o),
			Certainty: stuck.Confirmed,
			Explains:  []string{finalizer},
			WaitsFor:  deleting,
			Evidence: []string{fmt.Sprintf("%s has spec.deletionPolicy: WaitForTermination: Flux waits at most %s until the objects that it applied are gone, then it removes the finalizer",
				o.Ref(), duration.HumanDuration(waitTimeout(*k)))},
			OnForce: stuck.Cost{Leaves: stuck.LeakObjects, Description: "applied objects that Flux has not deleted yet are left behind, unmanaged"},
		}}
	},
}

// applied are the objects of the inventory that exist and that Flux takes for its own: it leaves those alone from which
// its labels were removed (deleteObjects in fluxcd/kustomize-controller internal/controller/kustomization_controller.go).
func applied(view *cluster.View, k Kustomization) []stuck.Object {
	types, entries := map[string][]stuck.Type{}, map[string]bool{}
	for _, entry := range k.Status.Inventory.Entries {
		object, ok := inventoryObject(view, entry.ID)
		if !ok {
			continue
		}
		entries[object.RefInNamespace()] = true
		sameType := func(t stuck.Type) bool { return t.GroupKind() == object.Type.GroupKind() }
		if !slices.ContainsFunc(types[object.Namespace], sameType) {
			types[object.Namespace] = append(types[object.Namespace], object.Type)
		}
	}
	labels := fmt.Sprintf("%[1]s/name=%[2]s,%[1]s/namespace=%[3]s", kustomizationKind.Group, k.Name, k.Namespace)
	var out []stuck.Object
	for namespace, inNamespace := range types {
		for _, object := range view.ObjectsLabeled(namespace, labels, inNamespace...).Items {
			if entries[object.RefInNamespace()] {
				out = append(out, object)
			}
		}
	}
	return out
}

// waitTimeout is how long Flux waits (GetTimeout in fluxcd/kustomize-controller api/v1/kustomization_types.go).
func waitTimeout(k Kustomization) time.Duration {
	timeout := k.Spec.Interval.Duration - 30*time.Second
	if k.Spec.Timeout != nil {
		timeout = k.Spec.Timeout.Duration
	}
	return max(timeout, 30*time.Second)
}
