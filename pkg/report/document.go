package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// StuckObject is an object, and what was found out about it.
type StuckObject struct {
	// Cluster is left out where one cluster is listed, as in causes and gaps.
	Cluster      string `json:"cluster,omitempty"`
	ListedObject `json:",inline"`
	Diagnosis    ObjectDiagnosis `json:"diagnosis"`
}

// ListedObject is an object in a document as users of kubectl know it.
type ListedObject struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   ObjectMetadata `json:"metadata"`
	// Resource is the type in the plural, as in the URL.
	Resource string `json:"resource"`
	// SpecFinalizers is spec.finalizers of a Namespace.
	SpecFinalizers []string `json:"specFinalizers,omitempty"`
	// NamespaceMissing says that the object's namespace does not exist anymore.
	NamespaceMissing bool `json:"namespaceMissing,omitempty"`
}

// ObjectMetadata is the part of an object's metadata that matters to its deletion.
type ObjectMetadata struct {
	Namespace         string `json:"namespace,omitempty"`
	Name              string `json:"name"`
	UID               string `json:"uid,omitempty"`
	DeletionTimestamp string `json:"deletionTimestamp,omitempty"`
	// DeletionGracePeriodSeconds is left out where none was noted.
	DeletionGracePeriodSeconds *int64   `json:"deletionGracePeriodSeconds,omitempty"`
	Finalizers                 []string `json:"finalizers"`
}

// ObjectDiagnosis is why an object is stuck.
type ObjectDiagnosis struct {
	// Verdict is left out for an object that is not being deleted.
	Verdict     stuck.Verdict      `json:"verdict,omitempty"`
	Causes      []stuck.Finding    `json:"causes"`
	Controllers []stuck.Controller `json:"controllers"`
}

// Reference names an object.
type Reference stuck.Culprit

// StuckList is the document of the list command.
type StuckList struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Items      []StuckObject `json:"items"`
	// Causes are the root causes of the items, those of most items first.
	Causes []ListedCause `json:"causes"`
	Gaps   []Gap         `json:"gaps"`
	// Clusters are those that were to be listed, where these may be several.
	Clusters []Cluster `json:"clusters,omitempty"`
}

// NewStuckList is the document of what was found and of what could not be read.
func NewStuckList(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap) StuckList {
	out := StuckList{APIVersion: APIVersion, Kind: "StuckList", Items: []StuckObject{}, Causes: listedCauses(diagnoses), Gaps: newGaps(gaps)}
	for _, d := range diagnoses {
		out.Items = append(out.Items, newStuckObject(d))
	}
	return out
}

func newStuckObject(d *stuck.Diagnosis) StuckObject {
	return StuckObject{
		ListedObject: newListedObject(d.Object),
		Diagnosis:    ObjectDiagnosis{Verdict: printedVerdict(d), Causes: printedFindings(d), Controllers: printedControllers(d)},
	}
}

func newListedObject(o stuck.Object) ListedObject {
	return ListedObject{
		APIVersion: o.Type.GVK().GroupVersion().String(), Kind: o.Type.Kind, Resource: o.Type.Resource,
		Metadata: ObjectMetadata{
			Namespace: o.Namespace, Name: o.Name, UID: string(o.UID),
			DeletionTimestamp: deletionTimestamp(o), DeletionGracePeriodSeconds: o.DeletionGracePeriodSeconds, Finalizers: nonNil(o.Finalizers),
		},
		SpecFinalizers: o.SpecFinalizers, NamespaceMissing: o.NamespaceMissing,
	}
}

// deletionTimestamp is that of an object, empty while nobody has deleted it.
func deletionTimestamp(o stuck.Object) string {
	if !o.Deleting() {
		return ""
	}
	return o.DeletionTime.UTC().Format(time.RFC3339)
}

// printedVerdict is empty for an object that nobody has deleted.
func printedVerdict(d *stuck.Diagnosis) stuck.Verdict {
	if !d.Object.NeedsVerdict() {
		return ""
	}
	return d.Verdict
}

// printedFindings are the findings of a diagnosis with no list of them absent.
func printedFindings(d *stuck.Diagnosis) []stuck.Finding {
	out := []stuck.Finding{}
	for _, f := range d.Findings {
		out = append(out, printedFinding(f))
	}
	return out
}

// printedFinding is a finding with no list of it absent.
func printedFinding(f stuck.Finding) stuck.Finding {
	f.BlockedBy = f.BlockedBy.WithAPIVersion()
	f.Explains, f.Evidence, f.Steps = nonNil(f.Explains), nonNil(f.Evidence), nonNil(f.Steps)
	return f
}

func printedControllers(d *stuck.Diagnosis) []stuck.Controller {
	out := []stuck.Controller{}
	for _, c := range d.Controllers {
		if c.Workload != nil {
			workload := c.Workload.WithAPIVersion()
			c.Workload = &workload
		}
		c.Clues, c.Health = nonNil(c.Clues), nonNil(c.Health)
		out = append(out, c)
	}
	return out
}

// Unstructured is the document as kubectl's printers want it. Its items are objects
// in their own right, so that custom-columns and jsonpath reach into them.
func (l StuckList) Unstructured() (*unstructured.UnstructuredList, error) {
	head := l
	head.Items = nil
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&head)
	if err != nil {
		return nil, err
	}
	delete(object, "items")
	out := &unstructured.UnstructuredList{Object: object}
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
			ObjectMeta: metav1.ObjectMeta{Namespace: i.Metadata.Namespace, Name: i.Metadata.Name},
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
