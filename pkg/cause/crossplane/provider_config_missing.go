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
		Symptoms: "A managed resource has the finalizer `finalizer.managedresource.crossplane.io`, and the ProviderConfig in its `spec.providerConfigRef` does not exist. The condition `Synced` of the managed resource is False and says `connect failed: ... not found`.",
		Why:      "The provider deletes the external resource in the cloud with the credentials that the ProviderConfig names. The ProviderConfig was deleted first, often with the Helm release or the namespace that contained the ProviderConfig and the managed resource.",
		Fix:      "Recreate the ProviderConfig with the same name and the same credentials. To keep the external resource, say so in the spec of the managed resource: the provider then removes the finalizer without a call to the cloud.",
		IfForced: "The external resource is left behind, unmanaged and billed.",
	},
	ControllerNext: true,
	Applies:        kit.DeletingWith(finalizerManaged),
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
