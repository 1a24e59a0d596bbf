package report

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"

// ExplanationList is the document of the explain command for several objects.
type ExplanationList struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Items      []Explanation `json:"items"`
}

// NewExplanationList is the document of several diagnoses. The gaps are those of all.
func NewExplanationList(diagnoses []*stuck.Diagnosis, gaps []stuck.Gap) ExplanationList {
	list := ExplanationList{APIVersion: APIVersion, Kind: "ExplanationList", Items: []Explanation{}}
	for _, d := range diagnoses {
		list.Items = append(list.Items, NewExplanation(d, gaps))
	}
	return list
}
