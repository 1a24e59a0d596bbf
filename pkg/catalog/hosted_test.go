package catalog

import (
	"strings"
	"testing"
)

func TestErrorsOfHostedComponents(t *testing.T) {
	for text, want := range map[string]string{
		"  hosted: {where: at Google, steps: [{action: check, description: x}]}\n":                    "removedBy is cloud or other-cluster",
		"  removedBy: cloud\n  hosted: {steps: [{action: check, description: x}]}\n":                  "ours.yaml:4: hosted: where is missing",
		"  removedBy: cloud\n  hosted: {where: at Google}\n":                                          "steps is empty",
		"  removedBy: cloud\n  hosted: {where: at Google, steps: [{action: fix, description: x}]}\n":  `action "fix"`,
		"  removedBy: cloud\n  hosted: {side: at Google, steps: [{action: check, description: x}]}\n": `unknown field "side"`,
	} {
		own := strings.Replace(userFile, "  namespaces: [widgets]\n", text, 1)
		_, err := load(t).With(File{Name: "ours.yaml", Data: []byte(own)})
		if err == nil || !containsAll(err.Error(), "ours.yaml:", want) {
			t.Errorf("%s gives %v, want %q", text, err, want)
		}
	}
}

// The steps of a hosted component come first: they name the switch that the entry's own steps need.
func TestStepsOfHostedComponents(t *testing.T) {
	hosted := "  removedBy: cloud\n  hosted: {where: at Google, steps: [{action: check, description: see whether it is on, command: 'gcloud logs {name}'}]}\n"
	c, err := load(t).With(File{Name: "ours.yaml", Data: []byte(strings.Replace(userFile, "  namespaces: [widgets]\n  workloads: [deployment/widget-operator]\n", hosted, 1))})
	if err != nil {
		t.Fatal(err)
	}
	steps := c.Lookup("acme.dev/cleanup", subjectOf("Widget", "shop.acme.dev")).Resolution("shop", "w1")
	if len(steps) != 2 || steps[0].Command != "gcloud logs w1" || !steps[0].ReadsLogs {
		t.Errorf("the steps are %+v", steps)
	}
}
