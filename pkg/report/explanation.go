package report

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Explanation is the document of the explain command.
type Explanation struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Target     StuckObject    `json:"target"`
	WaitsFor   []WaitedObject `json:"waitsFor"`
	Gaps       []Gap          `json:"gaps"`
	// NotRuledOut are the causes that a gap stands before, for the target and
	// for all that it waits for.
	NotRuledOut []stuck.OpenCause `json:"notRuledOut"`
}

// WaitedObject is an object that has to go first, with what it waits for in turn.
type WaitedObject struct {
	StuckObject `json:",inline"`
	// Similar are the others that are stuck for the same reasons and wait for the same.
	Similar []Reference `json:"similar,omitempty"`
	// Repeated says that what the object waits for stands where it appears first.
	Repeated bool           `json:"repeated,omitempty"`
	WaitsFor []WaitedObject `json:"waitsFor"`
}

// NewExplanation is the document of one diagnosis.
func NewExplanation(d *stuck.Diagnosis, gaps []stuck.Gap) Explanation {
	seen := map[*stuck.Diagnosis]bool{d: true}
	return Explanation{
		APIVersion: APIVersion, Kind: "Explanation",
		Target: newStuckObject(d), WaitsFor: waitedObjects(d, seen), Gaps: newGaps(gaps), NotRuledOut: nonNil(openCauses(d)),
	}
}

// waitedObjects follows the chain, and says once what each object waits for in
// turn: a chain may lead back to its beginning, and there are more ways through a net
// than anybody could print.
func waitedObjects(d *stuck.Diagnosis, seen map[*stuck.Diagnosis]bool) []WaitedObject {
	out := []WaitedObject{}
	for _, g := range groupForDocument(d.WaitsFor) {
		first := g.First()
		waited := WaitedObject{StuckObject: newStuckObject(first), Repeated: seen[first] && len(first.WaitsFor) > 0, WaitsFor: []WaitedObject{}}
		isNew := !seen[first]
		for _, each := range g {
			seen[each] = true
		}
		for _, other := range g[1:] {
			waited.Similar = append(waited.Similar, Reference(other.Object.Culprit()))
		}
		if isNew {
			waited.WaitsFor = waitedObjects(first, seen)
		}
		out = append(out, waited)
	}
	return out
}

// groupForDocument folds similar objects, unless they wait for different ones: what
// those are would be lost. Printed, what an object waits for is a list of addresses.
func groupForDocument(diagnoses []*stuck.Diagnosis) []stuck.Group {
	var out []stuck.Group
	for _, g := range stuck.GroupSimilar(diagnoses) {
		for _, same := range stuck.GroupBy(g, func(d *stuck.Diagnosis) string { return fmt.Sprintf("%v", d.WaitsFor) }) {
			out = append(out, same)
		}
	}
	return out
}

// openCauses are the causes that could not be checked anywhere in the chain, each once.
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
