package report

import (
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RemovalPlan is the document of what force-remove would do.
type RemovalPlan struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Server     string        `json:"server"`
	Context    string        `json:"context,omitempty"`
	Token      string        `json:"token,omitempty"`
	Steps      []planStep    `json:"steps"`
	Refusals   []planRefusal `json:"refusals"`
	// Skipped are targets for which nothing is to be done.
	Skipped []planRefusal `json:"skipped"`
	// Events are the Events that are posted once all is done. What they say
	// and count is then what was done.
	Events []removal.Request `json:"events,omitempty"`
}

// planStep is a step as it stands in a document: its object, and beside that what is
// done to it.
type planStep struct {
	Item `json:",inline"`
	// Remove are the finalizers that are removed, RemoveSpec those of a
	// Namespace's spec.
	Remove     []string          `json:"remove"`
	RemoveSpec []string          `json:"removeSpec,omitempty"`
	Leaves     []stuck.Cost      `json:"leaves"`
	Overrides  []string          `json:"overrides"`
	Requests   []removal.Request `json:"requests"`
}

// planRefusal is a refusal as it stands in a document.
type planRefusal struct {
	Item   `json:",inline"`
	Reason string `json:"reason"`
	// Step is what to do about it first.
	Step *stuck.Step `json:"step,omitempty"`
	// Override is the flag with which it is done all the same.
	Override string `json:"override,omitempty"`
}

// NewRemovalPlan is the document of a plan, with the token that confirms it, if there
// is one.
func NewRemovalPlan(p removal.Plan, token string) *RemovalPlan {
	doc := &RemovalPlan{
		APIVersion: APIVersion, Kind: "RemovalPlan", Server: p.Cluster.Server, Context: p.Cluster.Context, Token: token,
		Steps: []planStep{}, Refusals: planRefusals(p.Refusals), Skipped: planRefusals(p.Skipped), Events: p.EventRequests(),
	}
	for _, s := range p.Steps {
		doc.Steps = append(doc.Steps, planStep{
			Item: newItem(s.Object, s.Verdict), Remove: nonNil(s.Finalizers), RemoveSpec: s.SpecFinalizers,
			Leaves: s.Costs, Overrides: nonNil(s.Overrides), Requests: s.Requests(),
		})
	}
	return doc
}

func planRefusals(refusals []removal.Refusal) []planRefusal {
	out := []planRefusal{}
	for _, r := range refusals {
		refusal := planRefusal{Item: newItem(r.Object, ""), Reason: r.Reason, Override: r.Override}
		if r.Fix.Description != "" {
			refusal.Step = &r.Fix
		}
		out = append(out, refusal)
	}
	return out
}

// RemovalResult is the document of what force-remove has done.
type RemovalResult struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Server     string       `json:"server"`
	Context    string       `json:"context,omitempty"`
	Backup     string       `json:"backup"`
	Items      []resultItem `json:"items"`
	// Gone are the targets that were waited for and are deleted, and Remaining those
	// that still exist.
	Gone      []Item `json:"gone"`
	Remaining []Item `json:"remaining"`
}

// resultItem is the end of a step as it stands in a document.
type resultItem struct {
	Item    `json:",inline"`
	Outcome removal.Outcome `json:"outcome"`
	Message string          `json:"message"`
	// Copy is the file of the saved copy.
	Copy string `json:"copy,omitempty"`
	// Omitted is what was left out of the saved copy on purpose.
	Omitted string `json:"omitted,omitempty"`
}

// NewRemovalResult is the document of what a run has done.
func NewRemovalResult(r removal.Report) *RemovalResult {
	doc := &RemovalResult{
		APIVersion: APIVersion, Kind: "RemovalResult", Server: r.Cluster.Server, Context: r.Cluster.Context, Backup: r.BackupDir,
		Items: []resultItem{}, Gone: itemsOf(r.Gone), Remaining: itemsOf(r.Remaining),
	}
	for _, i := range r.Results {
		doc.Items = append(doc.Items, resultItem{
			Item: newItem(i.Step.Object, i.Step.Verdict), Outcome: i.Outcome, Message: i.Message, Copy: i.Saved.Path, Omitted: i.Saved.Omitted,
		})
	}
	return doc
}

func itemsOf(objects []stuck.Object) []Item {
	out := []Item{}
	for _, o := range objects {
		out = append(out, newItem(o, ""))
	}
	return out
}
