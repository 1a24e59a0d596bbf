package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// RemovalPlan is the document of what force-remove would do.
type RemovalPlan struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Server     string           `json:"server"`
	Context    string           `json:"context,omitempty"`
	Token      string           `json:"token,omitempty"`
	Steps      []RemovalStep    `json:"steps"`
	Refusals   []RemovalRefusal `json:"refusals"`
}

// RemovalStep is one write of a plan.
type RemovalStep struct {
	Item `json:",inline"`
	// Remove are the finalizers that are taken off, RemoveSpec those of a
	// Namespace's spec.
	Remove     []string     `json:"remove"`
	RemoveSpec []string     `json:"removeSpec,omitempty"`
	Leaves     []stuck.Cost `json:"leaves"`
	Overrides  []string     `json:"overrides"`
	// Requests are the writes, as they are sent.
	Requests []RemovalRequest `json:"requests"`
}

// RemovalRequest is one write. The body of a PUT is what changes in the object,
// which is sent whole, as it is then.
type RemovalRequest struct {
	Verb string `json:"verb"`
	Path string `json:"path"`
	Body any    `json:"body"`
}

// RemovalRefusal is something that is not done, and the way past it.
type RemovalRefusal struct {
	Item `json:",inline"`
	Why  string `json:"why"`
	Way  string `json:"way"`
}

// RemovalResult is the document of what force-remove has done.
type RemovalResult struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Server     string        `json:"server"`
	Backup     string        `json:"backup"`
	Items      []RemovalItem `json:"items"`
	// Left are objects that are still there, though nothing was left to do.
	Left []Item `json:"left"`
}

// RemovalItem is the end of one step.
type RemovalItem struct {
	Item    `json:",inline"`
	Outcome string `json:"outcome"`
	Says    string `json:"says"`
	Saved   string `json:"saved,omitempty"`
	// Omitted is what was left out of the saved copy on purpose.
	Omitted string `json:"omitted,omitempty"`
}

// ItemOf is an object as an item of a document.
func ItemOf(o stuck.Object, verdict stuck.Verdict) Item {
	return item(&stuck.Diagnosis{Object: o, Verdict: verdict})
}

// PlanText writes a plan for the one who is to confirm it: every object by
// name, or those of which the same is said by their number.
func PlanText(out io.Writer, p RemovalPlan) {
	fmt.Fprintf(out, "In cluster %s%s\n", p.Server, inContext(p.Context))
	var steps, refusals fold
	for _, s := range p.Steps {
		steps.add(s.Item, stepText(s), s.Requests...)
	}
	for _, r := range p.Refusals {
		refusals.add(r.Item, fmt.Sprintf(" %s\n    %s\n", r.Why, r.Way))
	}
	for _, l := range steps {
		fmt.Fprintf(out, "\n  %s\n%s", l.subject(), l.text)
		for _, r := range l.requests {
			fmt.Fprintf(out, "    %s: %s %s\n", l.sends(), r.Verb, r.Path)
		}
	}
	for _, l := range refusals {
		fmt.Fprintf(out, "\n  refused: %s%s", l.subject(), l.text)
	}
}

// fold puts together the objects of a type and namespace of which the same is
// said.
type fold []folded

type folded struct {
	first    Item
	n        int
	text     string
	requests []RemovalRequest // of the first
}

func (f *fold) add(i Item, text string, requests ...RemovalRequest) {
	for k := range *f {
		l := &(*f)[k]
		if l.text == text && l.first.Resource == i.Resource && l.first.APIVersion == i.APIVersion && l.first.Namespace == i.Namespace {
			l.n++
			return
		}
	}
	*f = append(*f, folded{first: i, n: 1, text: text, requests: requests})
}

func (l folded) sends() string {
	if l.n == 1 {
		return "sends"
	}
	return fmt.Sprintf("sends %d like", l.n)
}

func (l folded) subject() string {
	if l.n == 1 {
		return refOf(l.first)
	}
	return fmt.Sprintf("%d %s", l.n, manyOf(l.first))
}

func stepText(s RemovalStep) string {
	var b strings.Builder
	for _, f := range s.RemoveSpec {
		fmt.Fprintf(&b, "    remove from spec.finalizers: %s\n", f)
	}
	for _, f := range s.Remove {
		fmt.Fprintf(&b, "    remove finalizer: %s\n", f)
	}
	fmt.Fprintf(&b, "    verdict: %s\n", s.Verdict)
	for _, c := range s.Leaves {
		fmt.Fprintf(&b, "    leaves behind (%s): %s\n", c.Leak, c.What)
	}
	if len(s.Overrides) > 0 {
		fmt.Fprintf(&b, "    because of: %s\n", strings.Join(s.Overrides, " "))
	}
	return b.String()
}

func inContext(context string) string {
	if context == "" {
		return ""
	}
	return " (context " + context + ")"
}

func refOf(i Item) string {
	t := stuck.Type{Kind: i.Kind, Group: groupOf(i)}
	return t.One() + "/" + i.Name + inNamespace(i)
}

func manyOf(i Item) string {
	return stuck.Type{Resource: i.Resource, Group: groupOf(i)}.String() + inNamespace(i)
}

func inNamespace(i Item) string {
	if i.Namespace == "" {
		return ""
	}
	return " in namespace " + i.Namespace
}

func groupOf(i Item) string {
	group, _, ok := strings.Cut(i.APIVersion, "/")
	if !ok {
		return ""
	}
	return group
}
