package cause

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// annotationPaused makes Crossplane leave a resource alone, its deletion
// included (crossplane/crossplane-runtime pkg/meta/meta.go, IsPaused).
const annotationPaused = "crossplane.io/paused"

// CrossplanePaused holds a managed resource that is told to be left alone.
var CrossplanePaused = Cause{
	ID:    "crossplane-paused",
	Title: "The Crossplane resource is paused",
	Doc: Doc{
		Shows: "A managed resource with `finalizer.managedresource.crossplane.io` has the annotation `crossplane.io/paused: \"true\"`; its condition `Synced` may say ReconcilePaused.",
		Why:   "The provider leaves a paused resource alone, its deletion included. Somebody has paused it to work on the outer resource by hand, and has not resumed it.",
		Fix:   "Find out why it is paused, then take the annotation off. The provider then deletes the outer resource.",
		Force: "The outer resource keeps running and costs money, and nothing manages it.",
	},
	Applies: holds(finalizerManaged),
	Look: func(see *cluster.View, o stuck.Object) []stuck.Finding {
		managed := see.Managed(o)
		if !managed.Found() || managed.Value.UID != o.UID || managed.Value.Annotations[annotationPaused] != "true" {
			return nil
		}
		return []stuck.Finding{{
			Summary:   fmt.Sprintf("it is paused by its annotation %s", annotationPaused),
			Culprit:   o.As(),
			Certainty: stuck.Proven,
			Verdict:   stuck.Blocked,
			Explains:  []string{finalizerManaged},
			Evidence:  []string{"the provider does nothing with a paused resource, and does not delete it either"},
			Fix: []stuck.Step{{
				What:    "resume it, if what it stands for outside may go",
				Command: command(o.Namespace, "annotate %s %s-", target(o), annotationPaused),
			}},
			IfForced: outside(o),
		}}
	},
}
