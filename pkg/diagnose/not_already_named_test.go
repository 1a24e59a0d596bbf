package diagnose

import (
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestWhatACauseOfItsOwnNamesIsNotSaidTwice(t *testing.T) {
	claim := stuck.Culprit{APIVersion: "karpenter.sh/v1", Kind: "NodeClaim", Name: "arm"}
	bare := claim
	bare.APIVersion = ""
	found := []stuck.Finding{{Cause: "crossplane-in-use", BlockedBy: claim}}
	for name, test := range map[string]struct {
		blockedBy stuck.Culprit
		want      int
	}{
		"the same":                        {blockedBy: claim},
		"the same, in no certain version": {blockedBy: bare},
		"another":                         {blockedBy: stuck.Culprit{Kind: "NodeClaim", Name: "x86"}, want: 1},
		"nobody":                          {want: 1},
	} {
		if got := notAlreadyNamed([]stuck.Finding{{Cause: "in-use", BlockedBy: test.blockedBy}}, found); len(got) != test.want {
			t.Errorf("%s: %v is left", name, got)
		}
	}
}
