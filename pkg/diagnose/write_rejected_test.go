package diagnose_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finding is what a cause found in the target of a story, for somebody from
// whom some questions are hidden.
func finding(t *testing.T, name, cause string, hide func(string) bool) *stuck.Finding {
	t.Helper()
	for _, story := range stories(t) {
		if story.Name != name {
			continue
		}
		findings := diagnoseStory(t, story, source(t, story), hide).Findings
		i := slices.IndexFunc(findings, func(f stuck.Finding) bool { return f.Cause == cause })
		if i < 0 {
			return nil
		}
		return &findings[i]
	}
	t.Fatalf("there is no story %s", name)
	return nil
}

// A webhook that is down is found by its rules where nothing can be tried, and
// is then only likely to be the reason.
func TestADeadWebhookIsFoundWithoutADryRun(t *testing.T) {
	story, cause := "webhook-is-gone", "write-webhook-down"
	hidden := map[string]func(string) bool{
		"the dry run":            func(q string) bool { return strings.HasPrefix(q, "probe ") },
		"whether one may try":    func(q string) bool { return strings.HasPrefix(q, "may patch ") },
		"who serves the type":    func(q string) bool { return strings.HasPrefix(q, "get apiservices") },
		"both of the first ones": func(q string) bool { return strings.HasPrefix(q, "probe ") || strings.HasPrefix(q, "may patch ") },
	}
	for name, hide := range hidden {
		f := finding(t, story, cause, hide)
		if f == nil || f.Certainty != stuck.Likely || f.BlockedBy.Name != "gateway-validation" {
			t.Errorf("without %s: %+v", name, f)
		}
	}
	if f := finding(t, story, cause, nil); f == nil || f.Certainty != stuck.Confirmed {
		t.Errorf("with a dry run it is not proven: %+v", f)
	}
	webhooks := func(q string) bool {
		return strings.Contains(q, "webhookconfigurations") || strings.HasPrefix(q, "probe ")
	}
	if f := finding(t, story, cause, webhooks); f != nil {
		t.Errorf("with neither, it was still found: %+v", f)
	}
}

// A right that could not be read is not taken for a missing one.
func TestHiddenRightsAreNotMissingRights(t *testing.T) {
	if f := finding(t, "user-may-not-patch", "write-forbidden", func(q string) bool { return strings.HasPrefix(q, "may patch ") }); f != nil {
		t.Errorf("it was found: %+v", f)
	}
}
