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
	// Causes are the root causes.
	Causes []rootCauseFacts `json:"causes,omitempty"`
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
	// Similar is how many other objects it stands for.
	Similar  int         `json:"similar,omitempty"`
	WaitsFor []itemFacts `json:"waitsFor,omitempty"`
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

// rootCauseFacts are the facts of one root cause.
type rootCauseFacts struct {
	ID         string   `json:"id"`
	BlockedBy  string   `json:"blockedBy,omitempty"`
	Finalizers []string `json:"finalizers,omitempty"`
	// Objects is how many there are.
	Objects    int      `json:"objects"`
	Namespaces []string `json:"namespaces,omitempty"`
}

// document is the part of a document that has its facts.
type document struct {
	Kind   string         `json:"kind"`
	Target *documentItem  `json:"target"`
	Items  []documentItem `json:"items"`
	Causes []struct {
		documentCause
		Finalizers []string `json:"finalizers"`
		Objects    []any    `json:"objects"`
		Namespaces []string `json:"namespaces"`
	} `json:"causes"`
	Gaps []any `json:"gaps"`

	WaitsFor []documentItem `json:"waitsFor"`
}

type documentItem struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace  string   `json:"namespace"`
		Name       string   `json:"name"`
		Finalizers []string `json:"finalizers"`
	} `json:"metadata"`
	SpecFinalizers   []string `json:"specFinalizers"`
	NamespaceMissing bool     `json:"namespaceMissing"`
	Diagnosis        struct {
		Verdict string          `json:"verdict"`
		Causes  []documentCause `json:"causes"`
	} `json:"diagnosis"`
	Similar  []documentCulprit `json:"similar"`
	WaitsFor []documentItem    `json:"waitsFor"`
}

type documentCulprit struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

type documentCause struct {
	ID        string          `json:"id"`
	Certainty string          `json:"certainty"`
	BlockedBy documentCulprit `json:"blockedBy"`
	Explains  []string        `json:"explains"`
	Steps     []struct {
		Action string `json:"action"`
	} `json:"steps"`
}

func (d document) facts() documentFacts {
	out := documentFacts{Kind: d.Kind, Items: factsOf(d.Items, documentItem.facts), Gaps: len(d.Gaps)}
	if d.Target != nil {
		d.Target.WaitsFor = d.WaitsFor
		target := d.Target.facts()
		out.Target = &target
	}
	for _, c := range d.Causes {
		out.Causes = append(out.Causes, rootCauseFacts{
			ID: c.ID, BlockedBy: c.BlockedBy.fact(), Finalizers: c.Finalizers, Objects: len(c.Objects), Namespaces: c.Namespaces,
		})
	}
	return out
}

func (i documentItem) facts() itemFacts {
	return itemFacts{
		APIVersion: i.APIVersion, Kind: i.Kind, Namespace: i.Metadata.Namespace, Name: i.Metadata.Name,
		NamespaceMissing: i.NamespaceMissing, Finalizers: slices.Concat(i.SpecFinalizers, i.Metadata.Finalizers), Verdict: i.Diagnosis.Verdict,
		Causes: factsOf(i.Diagnosis.Causes, documentCause.facts), Similar: len(i.Similar), WaitsFor: factsOf(i.WaitsFor, documentItem.facts),
	}
}

func (c documentCause) facts() causeFacts {
	out := causeFacts{ID: c.ID, Certainty: c.Certainty, BlockedBy: c.BlockedBy.fact(), Explains: slices.Sorted(slices.Values(c.Explains))}
	for _, s := range c.Steps {
		out.Steps = append(out.Steps, s.Action)
	}
	return out
}

func (c documentCulprit) fact() string {
	if c.Kind == "" {
		return ""
	}
	return strings.TrimPrefix(c.Namespace+"/", "/") + c.Kind + "/" + c.Name
}

func factsOf[From, To any](list []From, facts func(From) To) []To {
	var out []To
	for _, each := range list {
		out = append(out, facts(each))
	}
	return out
}
