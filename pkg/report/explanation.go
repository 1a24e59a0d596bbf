package report

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Explanation is the document of the explain command.
type Explanation struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Target     Item          `json:"target"`
	Verdict    stuck.Verdict `json:"verdict"`
	Findings   []Finding     `json:"findings"`
	Owners     []stuck.Owner `json:"owners"`
	WaitsFor   []Waited      `json:"waitsFor"`
	Gaps       []stuck.Gap   `json:"gaps"`
	// NotRuledOut are the causes that a gap stands before, for the target and
	// for all that it waits for.
	NotRuledOut []stuck.Open `json:"notRuledOut"`
}

// Waited is an object that has to go first, with what holds it in turn.
type Waited struct {
	Item     `json:",inline"`
	Findings []Finding     `json:"findings"`
	Owners   []stuck.Owner `json:"owners"`
	WaitsFor []Waited      `json:"waitsFor"`
}

// Finding is a finding in a document.
type Finding struct {
	Cause     string          `json:"cause"`
	Summary   string          `json:"summary"`
	Culprit   stuck.Culprit   `json:"culprit"`
	Certainty stuck.Certainty `json:"certainty"`
	Evidence  []string        `json:"evidence"`
	Fix       []stuck.Step    `json:"fix"`
	IfForced  stuck.Cost      `json:"ifForced"`
}

// Explain is the document of one diagnosis.
func Explain(d *stuck.Diagnosis, gaps []stuck.Gap) Explanation {
	told := map[*stuck.Diagnosis]bool{d: true}
	return Explanation{
		APIVersion: APIVersion, Kind: "Explanation",
		Target: item(d), Verdict: verdict(d), Findings: findings(d), Owners: orEmpty(d.Owners),
		WaitsFor: waitsFor(d, told), Gaps: orEmpty(gaps), NotRuledOut: orEmpty(open(d)),
	}
}

func findings(d *stuck.Diagnosis) []Finding {
	out := []Finding{}
	for _, f := range d.Findings {
		out = append(out, Finding{
			Cause: f.Cause, Summary: f.Summary, Culprit: f.Culprit, Certainty: f.Certainty,
			Evidence: orEmpty(f.Evidence), Fix: orEmpty(f.Fix), IfForced: f.IfForced,
		})
	}
	return out
}

// waitsFor follows the chain, and tells once what each object waits for in
// turn: a chain may bite its own tail, and there are more ways through a net
// than anybody could print.
func waitsFor(d *stuck.Diagnosis, told map[*stuck.Diagnosis]bool) []Waited {
	out := []Waited{}
	for _, w := range d.WaitsFor {
		waited := Waited{Item: item(w), Findings: findings(w), Owners: orEmpty(w.Owners), WaitsFor: []Waited{}}
		if !told[w] {
			told[w] = true
			waited.WaitsFor = waitsFor(w, told)
		}
		out = append(out, waited)
	}
	return out
}

// open are the causes that could not be ruled out anywhere in the chain, each
// once.
func open(root *stuck.Diagnosis) []stuck.Open {
	var out []stuck.Open
	seen := map[stuck.Open]bool{}
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
