package stuck_test

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A snapshot that is being taken (certain, and nothing to do but to wait) stands after its controller that is scaled to zero
// (likely, and to be scaled up): the first would never end without the second.
func TestUrgency(t *testing.T) {
	for name, test := range map[string]struct {
		finding stuck.Finding
		want    int
	}{
		"certain":                   {stuck.Finding{Certainty: stuck.Confirmed}, 2},
		"likely":                    {stuck.Finding{Certainty: stuck.Likely}, 1},
		"certain, to be waited for": {stuck.Finding{Certainty: stuck.Confirmed, OnlyWaits: true}, 0},
	} {
		if got := test.finding.Urgency(); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
