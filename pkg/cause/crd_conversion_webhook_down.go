package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDConversionWebhookDown makes a custom type unreadable, and with it every
// namespace undeletable.
var CRDConversionWebhookDown = kit.Cause{
	ID:    "conversion-webhook-down",
	Title: "A custom type cannot be listed because its conversion webhook fails",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and mentions a `conversion webhook`; `kubectl get` of that type fails with the same error.",
		Why:      "The type has several versions and a webhook that converts between them. The API server cannot read the stored objects without the webhook, and cannot list or delete them. The objects are intact.",
		Fix:      "Make the Service of the webhook work again. If the software of the webhook was uninstalled and the versions differ only in name, set `spec.conversion.strategy` of the CustomResourceDefinition to None.",
		IfForced: "The custom resources are left behind in etcd, and their cleanup is skipped.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && (o.IsNamespace() || o.Is("apiextensions.k8s.io", "CustomResourceDefinition"))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, failure := range kit.ListFailures(view, o) {
			if c, ok := apitext.ParseConversionFailure(failure.Err); ok && !c.Refused {
				findings = append(findings, kit.ConversionWebhookFinding(view, failure))
			}
		}
		return findings
	},
}
