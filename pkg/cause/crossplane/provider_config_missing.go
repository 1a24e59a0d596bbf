package crossplane

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ProviderConfigMissing holds a managed resource whose ProviderConfig is
// gone.
var ProviderConfigMissing = kit.Cause{
	ID:    "crossplane-config-missing",
	Title: "The ProviderConfig of the Crossplane resource does not exist",
	Doc: kit.Doc{
		Symptoms: "A managed resource with `finalizer.managedresource.crossplane.io` names a ProviderConfig in `spec.providerConfigRef` that does not exist. Its condition `Synced` is False, `connect failed: ... not found`.",
		Why:      "The provider has to reach the cloud to delete what is there, and takes its credentials from the ProviderConfig. That was deleted first, often by a Helm release or a namespace that held both.",
		Fix:      "Create the ProviderConfig again, under the same name and with the same credentials. To keep the external resource, set that in the spec: the provider then removes the finalizer without calling the cloud.",
		IfForced: "The external resource is left behind, unmanaged and billed.",
	},
	Applies: kit.DeletingWith(finalizerManaged),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		managed, t, namespace, ok := providerConfigOf(view, o)
		if !ok {
			return nil
		}
		name := managed.Spec.ProviderConfigRef.Name
		if !cluster.Read[ProviderConfig](view, t, namespace, name).Absent() {
			return nil
		}
		culprit := stuck.Object{Type: t, Namespace: namespace, Name: name}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("%s/%s%s does not exist", t.Singular(), name, stuck.InNamespace(namespace)),
			BlockedBy: culprit.Culprit(),
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerManaged},
			Evidence: append([]string{
				fmt.Sprintf("%s names %s/%s in spec.providerConfigRef", o.Ref(), t.Singular(), name),
				"the provider has no credentials without it and cannot delete the external resource",
			}, syncErrors(*managed)...),
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "see which ones exist, to recreate the missing one with its name and credentials", Command: stuck.Kubectlf(namespace, "get %s", t)},
				orphanExternalStep(o),
			},
			OnForce: kit.ExternalCost(o),
		}}
	},
}
