package cause

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// CRDConversionRefused makes a custom type unreadable by one object that its
// conversion webhook rejects.
var CRDConversionRefused = kit.Cause{
	ID:    "conversion-refused",
	Title: "A custom type cannot be listed because its conversion webhook rejects an object",
	Doc: kit.Doc{
		Symptoms: "The namespace's condition `NamespaceDeletionContentFailure` is True and mentions a `conversion webhook` that failed with its own error, not with `Post \"https://...`. `kubectl get` of that type fails with the same error.",
		Why:      "The webhook that converts between the versions of the type runs, but cannot convert an object: a field has a value that the other version does not allow. One such object makes the list of the whole type fail. The namespace controller lists the type before it deletes the objects.",
		Fix:      "Correct the object in its storage version, which needs no conversion. Or make the webhook accept the object.",
		IfForced: "The custom resources are left behind in etcd, and their cleanup is skipped.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Deleting() && (o.IsNamespace() || o.Is("apiextensions.k8s.io", "CustomResourceDefinition"))
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		var findings []stuck.Finding
		for _, failure := range kit.ListFailures(view, o) {
			if c, ok := apitext.ParseConversionFailure(failure.Err); ok && c.Refused {
				findings = append(findings, kit.ConversionWebhookFinding(view, failure))
			}
		}
		return findings
	},
}
