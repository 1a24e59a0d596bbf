package recording

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Golden is what a golden file holds of what its command lines printed: a screen to the
// letter, and of a document the facts that a program would act on. A change of wording
// is so read once, on the screen. What is no document stays as it is, and differs from
// every golden file.
func Golden(file, output string) string {
	if filepath.Ext(file) != ".json" {
		return output
	}
	var d document
	if err := json.Unmarshal([]byte(withoutErrors(output)), &d); err != nil {
		return output
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d.facts()); err != nil {
		return output
	}
	return b.String()
}

// withoutErrors is an output without what MergeOutput marked as standard error.
func withoutErrors(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, errorMark) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// documentFacts are the facts of a document of list or of explain.
type documentFacts struct {
	Kind   string      `json:"kind"`
	Target *itemFacts  `json:"target,omitempty"`
	Items  []itemFacts `json:"items,omitempty"`
	// Gaps is how many there are.
	Gaps int `json:"gaps"`
}

// itemFacts are the facts of one object in a document.
type itemFacts struct {
	APIVersion       string       `json:"apiVersion"`
	Kind             string       `json:"kind"`
	Namespace        string       `json:"namespace,omitempty"`
	Name             string       `json:"name"`
	NamespaceMissing bool         `json:"namespaceMissing,omitempty"`
	Finalizers       []string     `json:"finalizers,omitempty"`
	Verdict          string       `json:"verdict,omitempty"`
	Causes           []causeFacts `json:"causes,omitempty"`
	WaitsFor         []itemFacts  `json:"waitsFor,omitempty"`
}

// causeFacts are the facts of one cause.
type causeFacts struct {
	ID        string   `json:"id"`
	Certainty string   `json:"certainty,omitempty"`
	BlockedBy string   `json:"blockedBy,omitempty"`
	Explains  []string `json:"explains,omitempty"`
	// Steps are the actions of its steps.
	Steps []string `json:"steps,omitempty"`
}

// document is the part of a document that has its facts.
type document struct {
	Kind   string         `json:"kind"`
	Target *documentItem  `json:"target"`
	Items  []documentItem `json:"items"`
	Gaps   []any          `json:"gaps"`

	Findings []documentCause `json:"findings"`
	WaitsFor []documentItem  `json:"waitsFor"`
}

type documentItem struct {
	APIVersion     string          `json:"apiVersion"`
	Kind           string          `json:"kind"`
	Namespace      string          `json:"namespace"`
	Name           string          `json:"name"`
	Ghost          bool            `json:"ghost"`
	Finalizers     []string        `json:"finalizers"`
	SpecFinalizers []string        `json:"specFinalizers"`
	Verdict        string          `json:"verdict"`
	Cause          *documentCause  `json:"cause"`
	Findings       []documentCause `json:"findings"`
	WaitsFor       []documentItem  `json:"waitsFor"`
}

type documentCause struct {
	ID        string `json:"id"`
	Certainty string `json:"certainty"`
	BlockedBy struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"blockedBy"`
	Explains []string `json:"explains"`
	Steps    []struct {
		Action string `json:"action"`
	} `json:"steps"`
}

func (d document) facts() documentFacts {
	out := documentFacts{Kind: d.Kind, Items: factsOf(d.Items, documentItem.facts), Gaps: len(d.Gaps)}
	if d.Target != nil {
		d.Target.Cause, d.Target.Findings, d.Target.WaitsFor = nil, d.Findings, d.WaitsFor
		target := d.Target.facts()
		out.Target = &target
	}
	return out
}

func (i documentItem) facts() itemFacts {
	if i.Findings == nil && i.Cause != nil {
		i.Findings = []documentCause{*i.Cause}
	}
	return itemFacts{
		APIVersion: i.APIVersion, Kind: i.Kind, Namespace: i.Namespace, Name: i.Name, NamespaceMissing: i.Ghost,
		Finalizers: slices.Concat(i.SpecFinalizers, i.Finalizers), Verdict: i.Verdict,
		Causes: factsOf(i.Findings, documentCause.facts), WaitsFor: factsOf(i.WaitsFor, documentItem.facts),
	}
}

func (c documentCause) facts() causeFacts {
	out := causeFacts{ID: c.ID, Certainty: c.Certainty, Explains: slices.Sorted(slices.Values(c.Explains))}
	if c.BlockedBy.Kind != "" {
		out.BlockedBy = strings.TrimPrefix(c.BlockedBy.Namespace+"/", "/") + c.BlockedBy.Kind + "/" + c.BlockedBy.Name
	}
	for _, s := range c.Steps {
		out.Steps = append(out.Steps, s.Action)
	}
	return out
}

func factsOf[From, To any](list []From, facts func(From) To) []To {
	var out []To
	for _, each := range list {
		out = append(out, facts(each))
	}
	return out
}
