package flux

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxLookups is how many objects of an inventory are looked up that the account is not allowed to delete.
const maxLookups = 20

// AccountForbidden holds a Kustomization whose service account may not delete what it applied.
var AccountForbidden = kit.Cause{
	ID:    "flux-account-forbidden",
	Title: "The service account of the Flux Kustomization may not delete what was applied",
	Doc: kit.Doc{
		Symptoms: "A Kustomization has the finalizer `finalizers.fluxcd.io` and `spec.serviceAccountName`. An event says `pruning for deleted resource failed`, and kustomize-controller logs `is forbidden: User \"system:serviceaccount:...\" cannot delete`.",
		Why:      "kustomize-controller deletes the applied objects as the service account, before it removes the finalizer. A Role or a binding of the account was deleted or changed, often because it is part of what was applied. kustomize-controller retries indefinitely. If the service account itself does not exist, it removes the finalizer and leaves the objects behind (finalize in fluxcd/kustomize-controller internal/controller/kustomization_controller.go).",
		Fix:      "Grant the account the permissions again. If the objects may stay, suspend the Kustomization: kustomize-controller then removes the finalizer without pruning.",
		IfForced: "The objects that the Kustomization applied are left behind, unmanaged.",
	},
	ControllerNext: true,
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && o.Type.GroupKind() == kustomizationKind && o.HasFinalizer(finalizer)
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		k, ok := cluster.ReadObject[Kustomization](view, o)
		if !ok || k.Spec.ServiceAccountName == "" || k.Spec.KubeConfig != nil || !needsPrune(view, *k) {
			return nil
		}
		kept, known := undeletable(view, *k)
		if !known || len(kept) == 0 {
			return nil
		}
		return []stuck.Finding{accountForbiddenFinding(view, *k, o, kept)}
	},
}

// undeletable are the objects of the inventory that exist and that the service account may not read
// and delete; false where that is not known of all.
func undeletable(view *cluster.View, k Kustomization) (kept []stuck.Object, known bool) {
	lookups := 0
	for _, entry := range k.Status.Inventory.Entries {
		object, ok := inventoryObject(view, entry.ID)
		if !ok {
			return nil, false
		}
		mayGet, rolesKnown := controller.AccountMay(view, k.Namespace, k.Spec.ServiceAccountName, object, "get")
		mayDelete, _ := controller.AccountMay(view, k.Namespace, k.Spec.ServiceAccountName, object, "delete")
		if !rolesKnown {
			return nil, false
		}
		if mayGet && mayDelete {
			continue
		}
		if lookups++; lookups > maxLookups {
			return kept, true
		}
		m := view.Metadata(object.Type, object.Namespace, object.Name)
		if !m.Found() && !m.Absent() {
			return nil, false
		}
		if m.Found() {
			kept = append(kept, object)
		}
	}
	return kept, true
}

func accountForbiddenFinding(view *cluster.View, k Kustomization, o stuck.Object, kept []stuck.Object) stuck.Finding {
	account := stuck.RefInNamespace("serviceaccount", k.Spec.ServiceAccountName, k.Namespace)
	var evidence, types []string
	for _, object := range kept {
		line := fmt.Sprintf("no role allows %s to get and delete %s%s", account, object.Type, stuck.InNamespace(object.Namespace))
		if !slices.Contains(evidence, line) {
			evidence = append(evidence, line)
		}
		if t := object.Type.String(); !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	slices.Sort(types)
	return stuck.Finding{
		Message:   fmt.Sprintf("%s may not delete %s that Flux applied", account, kit.CountByType(kept)),
		BlockedBy: stuck.Culprit{Kind: "ServiceAccount", Namespace: k.Namespace, Name: k.Spec.ServiceAccountName},
		Certainty: stuck.Likely,
		Verdict:   stuck.Blocked,
		Explains:  []string{finalizer},
		Evidence:  append([]string{fmt.Sprintf("%s names the account in spec.serviceAccountName: Flux deletes as that account what it applied", o.Ref())}, evidence...),
		Steps:     append(grantSteps(view, k, kept, types), suspendStep(o, "or, if the objects may stay, suspend the Kustomization: Flux then removes the finalizer")),
		OnForce:   stuck.Cost{Leaves: stuck.LeakObjects, Description: "the applied objects are left behind, unmanaged"},
	}
}

// grantSteps give the account the missing permissions: in the one namespace that needs them, where a
// role can be created in it, as the account may be that of a tenant.
func grantSteps(view *cluster.View, k Kustomization, kept []stuck.Object, types []string) []stuck.Step {
	namespace, kind, where := kept[0].Namespace, "role", ""
	elsewhere := slices.ContainsFunc(kept, func(o stuck.Object) bool { return o.Namespace != namespace })
	if namespace == "" || elsewhere || kit.IsTerminatingNamespaceNamed(view, namespace) {
		namespace, kind, where = "", "clusterrole", ", which hold in all namespaces"
	}
	name, account := k.Spec.ServiceAccountName+"-prune", k.Namespace+":"+k.Spec.ServiceAccountName
	return []stuck.Step{
		{
			Action: stuck.ActionChange, Description: "create a temporary " + kind + " with the missing permissions" + where + ", and bind it to the account",
			Command: stuck.Kubectlf(namespace, "create "+kind+" %s --verb=get,delete --resource=%s", name, strings.Join(types, ",")) + " && " +
				stuck.Kubectlf(namespace, "create "+kind+"binding %s --"+kind+"=%s --serviceaccount=%s", name, name, account),
		},
		{Action: stuck.ActionDelete, Description: "when Flux has finished, delete both again", Command: stuck.Kubectlf(namespace, "delete "+kind+"binding/%s "+kind+"/%s", name, name)},
	}
}
