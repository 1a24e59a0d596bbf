package cause

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerCrossplaneManaged is on every managed resource of Crossplane's
// (crossplane/crossplane-runtime pkg/reconciler/managed/reconciler.go).
const finalizerCrossplaneManaged = "finalizer.managedresource.crossplane.io"

// CrossplaneConfigMissing holds a managed resource whose ProviderConfig is
// gone.
var CrossplaneConfigMissing = Cause{
	ID:    "crossplane-config-missing",
	Title: "The ProviderConfig of the Crossplane resource does not exist",
	Doc: Doc{
		Symptoms: "A managed resource with `finalizer.managedresource.crossplane.io` names a ProviderConfig in `spec.providerConfigRef` that is not there. Its condition `Synced` is False, `connect failed: ... not found`.",
		Why:      "The provider has to reach the cloud to delete what is there, and takes its credentials from the ProviderConfig. That was deleted first, often by a Helm release or a namespace that held both.",
		Fix:      "Create the ProviderConfig again, under the same name and with the same credentials. Where the outer resource is to stay, say so: the provider then lets go without asking the cloud.",
		IfForced: "The outer resource keeps running and costs money, and nothing manages it.",
	},
	Applies: deletingWith(finalizerCrossplaneManaged),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		managed, t, namespace, ok := providerConfigOf(view, o)
		if !ok {
			return nil
		}
		name := managed.Spec.ProviderConfigRef.Name
		if !view.ProviderConfig(t, namespace, name).Absent() {
			return nil
		}
		culprit := stuck.Object{Type: t, Namespace: namespace, Name: name}
		return []stuck.Finding{{
			Summary:   fmt.Sprintf("its %s/%s%s does not exist", t.Singular(), name, inNamespace(namespace)),
			Culprit:   culprit.Culprit(),
			Certainty: stuck.Proven,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerCrossplaneManaged},
			Evidence: append([]string{
				fmt.Sprintf("spec.providerConfigRef names %s, and the API server has none of that name", name),
				"without it the provider has no credentials, and cannot delete the outer resource",
			}, syncErrors(*managed)...),
			Fix: []stuck.Step{
				{What: "create it again under the same name, with the credentials that it had; these are there", Command: kubectlCommand(namespace, "get %s", t)},
				orphanExternalStep(o),
			},
			IfForced: externalCost(o),
		}}
	},
}

// providerConfigOf is a managed resource whose provider has to reach the outer one, and
// where its ProviderConfig is to be found: in the group of its provider, of
// which its own group is a part.
func providerConfigOf(view *cluster.View, o stuck.Object) (m *cluster.ManagedResource, t stuck.Type, namespace string, ok bool) {
	managed := view.ManagedResource(o)
	if !managed.Found() || managed.Value.UID != o.UID || orphansExternal(*managed.Value) {
		return nil, stuck.Type{}, "", false
	}
	ref := managed.Value.Spec.ProviderConfigRef
	kinds := slices.DeleteFunc(view.TypesForKind(cmp.Or(ref.Kind, "ProviderConfig")), func(t stuck.Type) bool {
		return !cluster.IsGroupOrSubgroup(o.Type.Group, t.Group)
	})
	if len(kinds) == 0 || !isValidName(ref.Name) {
		return nil, stuck.Type{}, "", false
	}
	t = slices.MaxFunc(kinds, func(a, b stuck.Type) int { return cmp.Compare(len(a.Group), len(b.Group)) })
	if t.Namespaced {
		namespace = o.Namespace
	}
	return managed.Value, t, namespace, !t.Namespaced || namespace != ""
}

// orphansExternal reports whether the provider is to leave the outer resource: then
// it lets go without its configuration (crossplane/crossplane-runtime
// pkg/reconciler/managed/policies.go, ShouldDelete).
func orphansExternal(m cluster.ManagedResource) bool {
	policies := m.Spec.ManagementPolicies
	return m.Spec.DeletionPolicy == "Orphan" ||
		len(policies) > 0 && !slices.Contains(policies, "*") && !slices.Contains(policies, "Delete")
}

// orphanExternalStep is how the provider is told to leave the outer resource. The
// newer, namespaced resources know no deletionPolicy.
func orphanExternalStep(o stuck.Object) stuck.Step {
	patch := `{"spec":{"deletionPolicy":"Orphan"}}`
	if o.Type.Namespaced {
		patch = `{"spec":{"managementPolicies":["Observe","Create","Update","LateInitialize"]}}`
	}
	return stuck.Step{
		What:    "only if the outer resource is to stay, unmanaged, say so, and the provider lets go",
		Command: kubectlCommand(o.Namespace, "patch %s --type merge -p '%s'", typeAndName(o), patch),
	}
}

// syncErrors is what a managed resource says went wrong.
func syncErrors(m cluster.ManagedResource) []string {
	for _, c := range m.Status.Conditions {
		if c.Type == "Synced" && c.Status == "False" && c.Message != "" {
			return []string{fmt.Sprintf("its condition Synced is False (%s): %s", c.Reason, apitext.Shorten(c.Message))}
		}
	}
	return nil
}

func externalCost(o stuck.Object) stuck.Cost {
	return stuck.Cost{
		Leak: stuck.LeakExternal,
		What: fmt.Sprintf("what %s stands for outside keeps running and costs money, unmanaged", o.Name),
	}
}
