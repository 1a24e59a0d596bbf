package report

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Explanation is the document of the explain command.
type Explanation struct {
	APIVersion  string             `json:"apiVersion"`
	Kind        string             `json:"kind"`
	Target      Item               `json:"target"`
	Verdict     stuck.Verdict      `json:"verdict"`
	Findings    []stuck.Finding    `json:"findings"`
	Controllers []stuck.Controller `json:"controllers"`
	WaitsFor    []WaitedObject     `json:"waitsFor"`
	Gaps        []stuck.Gap        `json:"gaps"`
	// NotRuledOut are the causes that a gap stands before, for the target and
	// for all that it waits for.
	NotRuledOut []stuck.OpenCause `json:"notRuledOut"`
}

// WaitedObject is an object that has to go first, with what holds it in turn.
type WaitedObject struct {
	Item        `json:",inline"`
	Findings    []stuck.Finding    `json:"findings"`
	Controllers []stuck.Controller `json:"controllers"`
	WaitsFor    []WaitedObject     `json:"waitsFor"`
}

// NewExplanation is the document of one diagnosis.
func NewExplanation(d *stuck.Diagnosis, gaps []stuck.Gap) Explanation {
	seen := map[*stuck.Diagnosis]bool{d: true}
	return Explanation{
		APIVersion: APIVersion, Kind: "Explanation",
		Target: newItem(d), Verdict: printedVerdict(d), Findings: newFindings(d), Controllers: nonNil(d.Controllers),
		WaitsFor: waitedObjects(d, seen), Gaps: nonNil(gaps), NotRuledOut: nonNil(openCauses(d)),
	}
}

// newFindings are the findings of a diagnosis, with no list of them absent.
func newFindings(d *stuck.Diagnosis) []stuck.Finding {
	out := []stuck.Finding{}
	for _, f := range d.Findings {
		f.Explains, f.Evidence, f.Steps = nonNil(f.Explains), nonNil(f.Evidence), nonNil(f.Steps)
		out = append(out, f)
	}
	return out
}

// waitedObjects follows the chain, and tells once what each object waits for in
// turn: a chain may lead back to its beginning, and there are more ways through a net
// than anybody could print.
func waitedObjects(d *stuck.Diagnosis, seen map[*stuck.Diagnosis]bool) []WaitedObject {
	out := []WaitedObject{}
	for _, w := range d.WaitsFor {
		waited := WaitedObject{Item: newItem(w), Findings: newFindings(w), Controllers: nonNil(w.Controllers), WaitsFor: []WaitedObject{}}
		if !seen[w] {
			seen[w] = true
			waited.WaitsFor = waitedObjects(w, seen)
		}
		out = append(out, waited)
	}
	return out
}

// openCauses are the causes that could not be ruled out anywhere in the chain, each
// once.
func openCauses(root *stuck.Diagnosis) []stuck.OpenCause {
	var out []stuck.OpenCause
	seen := map[stuck.OpenCause]bool{}
	for _, d := range root.All() {
		for _, o := range d.NotRuledOut {
			if !seen[o] {
				seen[o] = true
				out = append(out, o)
			}
		}
	}
	return out
}
