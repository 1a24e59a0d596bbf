package report

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// PreflightReport is the document of the preflight command.
type PreflightReport struct {
	// Cluster is left out of the report of one cluster.
	Cluster    string            `json:"cluster,omitempty"`
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Outcome    preflight.Outcome `json:"outcome"`
	// Selected are the objects that are to be deleted, and Objects is how many are deleted in all.
	Selected []Reference `json:"selected"`
	Objects  int         `json:"objects"`
	// Items are the objects that would get stuck, and those of which that is not known. Their
	// verdicts are those that explain would give.
	Items  []StuckObject `json:"items"`
	Causes []ListedCause `json:"causes"`
	// Others are the objects that are not deleted, and would get stuck if they were deleted later.
	Others []PreflightOther `json:"others"`
	Order  []PreflightStage `json:"order"`
	// GracePeriodSeconds is the longest grace period of a Pod.
	GracePeriodSeconds int `json:"gracePeriodSeconds"`
	// EstimatedSeconds is how long it takes if controllers remove their finalizers at once.
	EstimatedSeconds int   `json:"estimatedSeconds"`
	Gaps             []Gap `json:"gaps"`
}

// PreflightStage is a number of objects that can be deleted at once, when those of the stages
// before no longer exist.
type PreflightStage struct {
	Stage   preflight.StageName `json:"stage"`
	Objects []Reference         `json:"objects"`
	// WaitFor are the objects that must no longer exist when the next stage begins.
	WaitFor  []Reference `json:"waitFor"`
	Commands []string    `json:"commands"`
}

// PreflightOther is a cause for which objects get stuck that are deleted later.
type PreflightOther struct {
	Cause stuck.Finding `json:"cause"`
	// Objects counts the objects by type, and Namespaces are theirs.
	Objects    []ResourceTally `json:"objects"`
	Namespaces []string        `json:"namespaces"`
}

// NewPreflightReport is the document of a prediction.
func NewPreflightReport(r preflight.Result) PreflightReport {
	held := heldDiagnoses(r)
	out := PreflightReport{
		APIVersion: APIVersion, Kind: "PreflightReport", Outcome: r.Outcome, Objects: r.Objects, Selected: references(r.Selected),
		Items: []StuckObject{}, Causes: listedCauses(held), Others: []PreflightOther{}, Order: []PreflightStage{},
		GracePeriodSeconds: int(r.Estimate.GracePeriod.Seconds()), EstimatedSeconds: int(r.Estimate.Total().Seconds()), Gaps: newGaps(r.Gaps),
	}
	for _, d := range held {
		item := newStuckObject(d)
		item.Metadata.DeletionTimestamp = "" // nobody has deleted it
		out.Items = append(out.Items, item)
	}
	for _, o := range r.Others {
		out.Others = append(out.Others, newPreflightOther(o))
	}
	for _, s := range r.Order {
		out.Order = append(out.Order, PreflightStage{Stage: s.Name, Objects: references(s.Delete), WaitFor: references(s.WaitFor), Commands: s.Commands(r.Whole)})
	}
	return out
}

func newPreflightOther(o preflight.Other) PreflightOther {
	out := PreflightOther{Cause: printedFinding(o.Finding), Objects: []ResourceTally{}, Namespaces: nonNil(o.Namespaces)}
	for _, tally := range o.Objects {
		out.Objects = append(out.Objects, ResourceTally{Resource: tally.Name, Objects: tally.Objects})
	}
	return out
}

func references(objects []stuck.Object) []Reference {
	out := make([]Reference, 0, len(objects))
	for _, o := range objects {
		out = append(out, Reference(o.Culprit()))
	}
	return out
}

// heldDiagnoses are those of the objects that would get stuck, or of which that is not known,
// without what is expected to work.
func heldDiagnoses(r preflight.Result) []*stuck.Diagnosis {
	var out []*stuck.Diagnosis
	for _, d := range r.Diagnoses {
		if d.Verdict == stuck.Progressing {
			continue
		}
		d.Findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f stuck.Finding) bool { return f.Verdict == stuck.Progressing })
		out = append(out, d)
	}
	return out
}

// preflightHeadline is the answer in one line.
func preflightHeadline(r preflight.Result) string {
	what := stuck.Count(len(r.Selected), "object")
	if len(r.Selected) == 1 {
		what = r.Selected[0].RefInNamespace()
	}
	if r.Objects > len(r.Selected) {
		what += fmt.Sprintf(" (%s in all)", stuck.Count(r.Objects, "object"))
	}
	switch r.Outcome {
	case preflight.GoesThrough:
		return "The deletion of " + what + " would go through."
	case preflight.GetsStuck:
		return "The deletion of " + what + " would get stuck."
	case preflight.OthersGetStuck:
		return "The deletion of " + what + " would leave other objects without what they need to be deleted: they would get stuck later."
	case preflight.Unknown:
		if len(heldDiagnoses(r)) > 0 {
			return "The deletion of " + what + " may get stuck: not everything could be explained."
		}
	}
	return "Nothing was found that would get stuck in the deletion of " + what + ", but not everything could be checked."
}

// NewPreflightSummary is the report of a prediction for pipelines and tickets.
func NewPreflightSummary(r preflight.Result) Report {
	held := heldDiagnoses(r)
	out := Report{Command: "preflight", Headline: preflightHeadline(r), Diagnoses: held, Gaps: r.Gaps}
	for _, d := range held {
		out.Cases = append(out.Cases, newPreflightCase(d))
	}
	for _, o := range r.Selected {
		if !slices.ContainsFunc(held, func(d *stuck.Diagnosis) bool { return d.Object.Key() == o.Key() }) {
			out.Cases = append(out.Cases, Case{Group: o.Namespace, Name: o.Ref()})
		}
	}
	for _, o := range r.Others {
		out.Cases = append(out.Cases, newOtherCase(o))
	}
	for _, cause := range RootCauses(held) {
		out.Issues = append(out.Issues, newIssue(cause))
	}
	for _, o := range r.Others {
		out.Issues = append(out.Issues, newOtherIssue(o))
	}
	counts := Metric{Name: metricPreflight, Help: "Objects that a deletion covers, by what is predicted of them."}
	for _, verdict := range []stuck.Verdict{stuck.Blocked, stuck.ControllerGone, stuck.Unknown} {
		n := 0
		for _, d := range held {
			if d.Verdict == verdict {
				n++
			}
		}
		counts.Samples = append(counts.Samples, Sample{[]string{"verdict", string(verdict)}, float64(n)})
	}
	out.Metrics = []Metric{counts, gapMetric(r.Gaps)}
	if len(r.Others) > 0 {
		out.Metrics = append(out.Metrics, othersMetric(r.Others))
	}
	return out
}

// newPreflightCase is an object that would get stuck, or of which that is not known.
func newPreflightCase(d *stuck.Diagnosis) Case {
	c := Case{
		Group: d.Object.Namespace, Name: d.Object.Ref(), Result: CaseFailed, ID: causeID(d), Message: causeSummary(d),
		Details: []string{"Verdict: " + string(d.Verdict), "Finalizers: " + orNone(finalizerList(d.Object.AllFinalizers(), ", "))},
	}
	if d.Verdict == stuck.Unknown {
		c.Result = CaseWarned
	}
	for _, cause := range rootCausesOf(d)[:min(len(rootCausesOf(d)), maxTallies)] {
		cause.Objects = []*stuck.Diagnosis{d}
		c.Details = append(c.Details, newIssue(&cause).lines()...)
	}
	return c
}
