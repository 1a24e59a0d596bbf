package operators

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// facts are what a golden file holds of an explanation: what a person would do by it, but not its sentences.
type facts struct {
	objectFacts
	Gaps        []string `json:"gaps,omitempty"`
	NotRuledOut []string `json:"notRuledOut,omitempty"`
}

type objectFacts struct {
	Object      string            `json:"object"`
	Verdict     stuck.Verdict     `json:"verdict,omitempty"`
	Controllers []controllerFacts `json:"controllers,omitempty"`
	Causes      []causeFacts      `json:"causes,omitempty"`
	// Similar is how many other objects it stands for.
	Similar  int           `json:"similar,omitempty"`
	WaitsFor []objectFacts `json:"waitsFor,omitempty"`
}

type controllerFacts struct {
	Finalizer string          `json:"finalizer"`
	Workload  string          `json:"workload,omitempty"`
	Certainty stuck.Certainty `json:"certainty,omitempty"`
	Healthy   stuck.RunState  `json:"healthy,omitempty"`
}

type causeFacts struct {
	ID        string          `json:"id"`
	Certainty stuck.Certainty `json:"certainty"`
	BlockedBy string          `json:"blockedBy,omitempty"`
	Explains  []string        `json:"explains,omitempty"`
	Leaves    stuck.Leak      `json:"leaves,omitempty"`
	// Steps are their actions and commands.
	Steps []string `json:"steps,omitempty"`
}

// factsOf are the facts of what explain prints with -o json, without what differs from one time that a story is played to the next.
func factsOf(document []byte) (string, error) {
	var e report.Explanation
	if err := json.Unmarshal(document, &e); err != nil {
		return "", fmt.Errorf("reading the explanation: %w", err)
	}
	f := facts{objectFacts: factsOfObject(e.Target, e.WaitsFor)}
	for _, gap := range e.Gaps {
		f.Gaps = append(f.Gaps, fmt.Sprintf("%s: %s", gap.Source, gap.Reason))
	}
	for _, open := range e.NotRuledOut {
		f.NotRuledOut = append(f.NotRuledOut, fmt.Sprintf("%s: %s", open.Cause, open.Source))
	}
	text, err := yaml.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("writing the facts: %w", err)
	}
	return maskVolatile(string(text)), nil
}

func factsOfObject(o report.StuckObject, waitsFor []report.WaitedObject) objectFacts {
	f := objectFacts{Object: nameOf(o.Kind, o.Metadata.Namespace, o.Metadata.Name), Verdict: o.Diagnosis.Verdict}
	for _, c := range o.Diagnosis.Controllers {
		f.Controllers = append(f.Controllers, controllerFacts{
			Finalizer: c.Finalizer, Workload: nameOfCulprit(c.Workload), Certainty: c.Certainty, Healthy: c.Running,
		})
	}
	for _, c := range o.Diagnosis.Causes {
		f.Causes = append(f.Causes, factsOfCause(c))
	}
	for _, w := range waitsFor {
		waited := factsOfObject(w.StuckObject, w.WaitsFor)
		waited.Similar = len(w.Similar)
		f.WaitsFor = append(f.WaitsFor, waited)
	}
	return f
}

func factsOfCause(c stuck.Finding) causeFacts {
	f := causeFacts{
		ID: string(c.Cause), Certainty: c.Certainty, BlockedBy: nameOfCulprit(&c.BlockedBy),
		Explains: c.Explains, Leaves: c.OnForce.Leaves,
	}
	for _, step := range c.Steps {
		f.Steps = append(f.Steps, strings.TrimSuffix(fmt.Sprintf("%s: %s", step.Action, step.Command), ": "))
	}
	return f
}

// nameOfCulprit is a culprit as [nameOf] writes it.
func nameOfCulprit(c *stuck.Culprit) string {
	if c == nil {
		return ""
	}
	return nameOf(c.Kind, c.Namespace, c.Name)
}

// nameOf is an object as KIND/NAME or KIND/NAMESPACE/NAME, empty for none.
func nameOf(kind, namespace, name string) string {
	if name == "" {
		return ""
	}
	if namespace != "" {
		name = namespace + "/" + name
	}
	return strings.ToLower(kind) + "/" + name
}

// volatilePatterns are what differs from one time that a story is played to the next.
var volatilePatterns = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(`-[a-z0-9]{8,10}-[a-z0-9]{5}\b`), "-POD"},
	{regexp.MustCompile(`\bkwok-web-1-[a-z0-9-]+`), "kwok-web-1-RANDOM"}, // a Node of Karpenter's provider kwok
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
}

func maskVolatile(text string) string {
	for _, m := range volatilePatterns {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	return text
}
