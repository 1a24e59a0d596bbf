package crossplane

import (
	"cmp"
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CredentialsMissing holds a managed resource whose provider has no
// credentials any more.
var CredentialsMissing = kit.Cause{
	ID:    "crossplane-credentials-missing",
	Title: "The Secret with the credentials of the Crossplane resource does not exist",
	Doc: kit.Doc{
		Symptoms: "A managed resource has the finalizer `finalizer.managedresource.crossplane.io`, and the Secret in `spec.credentials.secretRef` of its ProviderConfig does not exist. The condition `Synced` of the managed resource is False and says `connect failed`.",
		Why:      "The provider needs credentials to delete the external resource in the cloud. The Secret with the credentials was deleted first, with its namespace, or by the controller that created the Secret.",
		Fix:      "Recreate the Secret with the same key. Only the existence of the Secret is checked, never its contents. To keep the external resource, say so in the spec of the managed resource: the provider then removes the finalizer without a call to the cloud.",
		IfForced: "The external resource is left behind, unmanaged and billed.",
	},
	ControllerNext: true,
	Applies:        kit.DeletingWith(finalizerManaged),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		managed, t, namespace, ok := providerConfigOf(view, o)
		if !ok {
			return nil
		}
		config := cluster.Read[ProviderConfig](view, t, namespace, managed.Spec.ProviderConfigRef.Name)
		if !config.Found() || config.Value.Spec.Credentials.Source != "Secret" || config.Value.Spec.Credentials.SecretRef == nil {
			return nil
		}
		ref := *config.Value.Spec.Credentials.SecretRef
		ref.Namespace = cmp.Or(ref.Namespace, namespace)
		if !kit.IsValidName(ref.Namespace, ref.Name) || !view.SecretMetadata(ref.Namespace, ref.Name).Absent() {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("%s (provider credentials) does not exist", stuck.RefInNamespace("secret", ref.Name, ref.Namespace)),
			BlockedBy: stuck.Culprit{Kind: "Secret", Namespace: ref.Namespace, Name: ref.Name},
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerManaged},
			Evidence: append([]string{
				fmt.Sprintf("%s/%s, named in spec.providerConfigRef, reads the credentials from that Secret", t.Singular(), config.Value.Name),
				"the provider cannot delete the external resource without credentials",
			}, syncErrors(*managed)...),
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "see which key of the Secret the provider reads, to recreate the Secret", Command: stuck.Kubectlf(namespace, "get %s/%s -o jsonpath='{.spec.credentials.secretRef}'", t.Singular(), config.Value.Name)},
				orphanExternalStep(o),
			},
			OnForce: kit.ExternalCost(o),
		}}
	},
}
