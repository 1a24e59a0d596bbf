package crossplane

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerManaged is on every managed resource of Crossplane's
// (crossplane/crossplane-runtime pkg/reconciler/managed/reconciler.go).
const finalizerManaged = "finalizer.managedresource.crossplane.io"

// providerConfigOf is a managed resource whose provider has to reach the external one, and
// where its ProviderConfig is to be found: in the group of its provider, of
// which its own group is a part.
func providerConfigOf(view *cluster.View, o stuck.Object) (m *ManagedResource, t stuck.Type, namespace string, ok bool) {
	managed, ok := cluster.ReadObject[ManagedResource](view, o)
	if !ok || orphansExternal(*managed) {
		return nil, stuck.Type{}, "", false
	}
	ref := managed.Spec.ProviderConfigRef
	kinds := slices.DeleteFunc(view.TypesForKind(cmp.Or(ref.Kind, "ProviderConfig")), func(t stuck.Type) bool {
		return !isGroupOrSubgroup(o.Type.Group, t.Group)
	})
	if len(kinds) == 0 || !kit.IsValidName(ref.Name) {
		return nil, stuck.Type{}, "", false
	}
	t = slices.MaxFunc(kinds, func(a, b stuck.Type) int { return cmp.Compare(len(a.Group), len(b.Group)) })
	if t.Namespaced {
		namespace = o.Namespace
	}
	return managed, t, namespace, !t.Namespaced || namespace != ""
}

// orphansExternal reports whether the provider is to leave the external resource:
// then it removes the finalizer without its configuration (crossplane/crossplane-runtime
// pkg/reconciler/managed/policies.go, ShouldDelete).
func orphansExternal(m ManagedResource) bool {
	policies := m.Spec.ManagementPolicies
	return m.Spec.DeletionPolicy == "Orphan" ||
		len(policies) > 0 && !slices.Contains(policies, "*") && !slices.Contains(policies, "Delete")
}

// orphanExternalStep is how the provider is told to leave the external resource. The
// newer, namespaced resources know no deletionPolicy.
func orphanExternalStep(o stuck.Object) stuck.Step {
	patch := `{"spec":{"deletionPolicy":"Orphan"}}`
	if o.Type.Namespaced {
		patch = `{"spec":{"managementPolicies":["Observe","Create","Update","LateInitialize"]}}`
	}
	return stuck.Step{
		Action:      stuck.ActionChange,
		Description: "leave the external resource behind, only if it is to keep running unmanaged: the provider then removes the finalizer",
		Command:     stuck.Kubectlf(o.Namespace, "patch %s --type merge -p '%s'", o.Ref(), patch),
	}
}

// syncErrors is what a managed resource says went wrong.
func syncErrors(m ManagedResource) []string {
	for _, c := range m.Status.Conditions {
		if c.Type == "Synced" && c.Status == "False" && c.Message != "" {
			return []string{fmt.Sprintf("condition Synced is False (%s): %s", c.Reason, apitext.Shorten(c.Message))}
		}
	}
	return nil
}
