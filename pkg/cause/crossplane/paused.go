package crossplane

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// annotationPaused makes Crossplane leave a resource alone, its deletion
// included (crossplane/crossplane-runtime pkg/meta/meta.go, IsPaused).
const annotationPaused = "crossplane.io/paused"

// Paused holds a managed resource that is told to be left alone.
var Paused = kit.Cause{
	ID:    "crossplane-paused",
	Title: "The Crossplane resource is paused",
	Doc: kit.Doc{
		Symptoms: "A managed resource with `finalizer.managedresource.crossplane.io` has the annotation `crossplane.io/paused: \"true\"`; its condition `Synced` may say ReconcilePaused.",
		Why:      "The provider leaves a paused resource alone, its deletion included. Somebody has paused it to work on the outer resource by hand, and has not resumed it.",
		Fix:      "Find out why it is paused, then take the annotation off. The provider then deletes the outer resource.",
		IfForced: "The outer resource keeps running and costs money, and nothing manages it.",
	},
	Applies: kit.DeletingWith(finalizerManaged),
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		managed, ok := cluster.ReadObject[ManagedResource](view, o)
		if !ok || managed.Annotations[annotationPaused] != "true" {
			return nil
		}
		return []stuck.Finding{{
			Message:   fmt.Sprintf("it is paused by its annotation %s", annotationPaused),
			BlockedBy: o.Culprit(),
			Certainty: stuck.Confirmed,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerManaged},
			Evidence:  []string{"the provider does nothing with a paused resource, and does not delete it either"},
			Steps: []stuck.Step{{
				Action:      stuck.ActionChange,
				Description: "resume it, if what it stands for outside may go",
				Command:     stuck.Kubectlf(o.Namespace, "annotate %s %s-", o.Ref(), annotationPaused),
			}},
			OnForce: kit.ExternalCost(o),
		}}
	},
}
