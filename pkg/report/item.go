package report

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"

// Item is one object in a document of force-remove.
type Item struct {
	ListedObject `json:",inline"`
	// Verdict is left out for an object that is not being deleted.
	Verdict stuck.Verdict `json:"verdict,omitempty"`
}

func newItem(o stuck.Object, verdict stuck.Verdict) Item {
	return Item{ListedObject: newListedObject(o), Verdict: printedVerdict(&stuck.Diagnosis{Object: o, Verdict: verdict})}
}
