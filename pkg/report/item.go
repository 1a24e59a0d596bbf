package report

import (
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Item is one object in a document of force-remove.
type Item struct {
	APIVersion        string   `json:"apiVersion"`
	Kind              string   `json:"kind"`
	Resource          string   `json:"resource"`
	Namespace         string   `json:"namespace,omitempty"`
	Name              string   `json:"name"`
	UID               string   `json:"uid"`
	DeletionTimestamp string   `json:"deletionTimestamp,omitempty"`
	Finalizers        []string `json:"finalizers"`
	SpecFinalizers    []string `json:"specFinalizers,omitempty"`
	Ghost             bool     `json:"ghost,omitempty"`
	// Verdict is left out for an object that is not being deleted.
	Verdict stuck.Verdict `json:"verdict,omitempty"`
}

func newItem(d *stuck.Diagnosis) Item {
	o := d.Object
	return Item{
		APIVersion: o.Type.GVK().GroupVersion().String(), Kind: o.Type.Kind, Resource: o.Type.Resource,
		Namespace: o.Namespace, Name: o.Name, UID: string(o.UID), DeletionTimestamp: deletionTimestamp(o),
		Finalizers: nonNil(o.Finalizers), SpecFinalizers: o.SpecFinalizers, Ghost: o.NamespaceMissing,
		Verdict: printedVerdict(d),
	}
}

// deletionTimestamp is that of an object, empty while nobody has deleted it.
func deletionTimestamp(o stuck.Object) string {
	if !o.Deleting() {
		return ""
	}
	return o.DeletionTime.UTC().Format(time.RFC3339)
}
