package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Item is one stuck object in a document.
type Item struct {
	APIVersion        string     `json:"apiVersion"`
	Kind              string     `json:"kind"`
	Resource          string     `json:"resource"`
	Namespace         string     `json:"namespace,omitempty"`
	Name              string     `json:"name"`
	UID               string     `json:"uid"`
	DeletionTimestamp string     `json:"deletionTimestamp,omitempty"`
	Finalizers        []string   `json:"finalizers"`
	SpecFinalizers    []string   `json:"specFinalizers,omitempty"`
	Ghost             bool       `json:"ghost,omitempty"`
	Cause             *ItemCause `json:"cause,omitempty"`
	// Verdict is empty for an object that is not being deleted.
	Verdict stuck.Verdict `json:"verdict"`
}

// ItemCause is the cause of an item in a few words.
type ItemCause struct {
	ID      string `json:"id"`
	Summary string `json:"summary"`
}

// StuckList is the document of the list command.
type StuckList struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Items      []Item      `json:"items"`
	Gaps       []stuck.Gap `json:"gaps"`
}

// NewStuckList is the document of what was found and of what could not be read.
func NewStuckList(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap) StuckList {
	out := StuckList{APIVersion: APIVersion, Kind: "StuckList", Items: []Item{}, Gaps: nonNil(gaps)}
	for _, d := range diagnoses {
		out.Items = append(out.Items, newItem(d))
	}
	return out
}

func newItem(d *stuck.Diagnosis) Item {
	o := d.Object
	out := Item{
		APIVersion: o.Type.GVK().GroupVersion().String(), Kind: o.Type.Kind, Resource: o.Type.Resource,
		Namespace: o.Namespace, Name: o.Name, UID: string(o.UID),
		Finalizers: nonNil(o.Finalizers), SpecFinalizers: o.SpecFinalizers, Ghost: o.NamespaceMissing,
	}
	if o.Deleting() {
		out.DeletionTimestamp = o.DeletionTime.UTC().Format(time.RFC3339)
	}
	out.Verdict = printedVerdict(d)
	if f, ok := d.PrimaryFinding(); ok {
		out.Cause = &ItemCause{ID: f.Cause, Summary: f.Message}
	}
	return out
}

// printedVerdict is nothing for what nobody deletes: it is not on its way.
func printedVerdict(d *stuck.Diagnosis) stuck.Verdict {
	if !d.Object.NeedsVerdict() {
		return ""
	}
	return d.Verdict
}

// Unstructured is the document as kubectl's printers want it. Its items are objects
// in their own right, so that custom-columns and jsonpath reach into them.
func (l StuckList) Unstructured() (*unstructured.UnstructuredList, error) {
	out := &unstructured.UnstructuredList{}
	gaps := make([]any, 0, len(l.Gaps))
	for _, gap := range l.Gaps {
		gaps = append(gaps, map[string]any{"source": gap.Source, "error": gap.Error})
	}
	out.Object = map[string]any{"apiVersion": l.APIVersion, "kind": l.Kind, "gaps": gaps}
	for i := range l.Items {
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&l.Items[i])
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, unstructured.Unstructured{Object: object})
	}
	return out, nil
}

// Names are the objects as `-o name` prints them.
func (l StuckList) Names() []*metav1.PartialObjectMetadata {
	var out []*metav1.PartialObjectMetadata
	for _, i := range l.Items {
		out = append(out, &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: i.APIVersion, Kind: i.Kind},
			ObjectMeta: metav1.ObjectMeta{Namespace: i.Namespace, Name: i.Name},
		})
	}
	return out
}

// nonNil makes an absent list an empty one, which reads better in a document
// than null.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
