package diagnose_test

import (
	"slices"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/rook"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// To recreate, to release, to resume, to confirm or to connect is not enough where no controller is left to go on: of these causes the
// controller is looked for as well.
func TestControllersBehindWhatHasToBeMended(t *testing.T) {
	var got []string
	for _, c := range diagnose.Causes() {
		if c.ControllerNext {
			got = append(got, c.ID)
		}
	}
	want := []string{
		"argocd-operation-waits", "argocd-project-missing", "capi-delete-hook", "capi-kubeconfig-missing", "class-missing",
		"confirmation-missing", "crossplane-config-missing", "crossplane-credentials-missing", "crossplane-in-use", "drain-forbidden",
		"flux-account-forbidden", "flux-kubeconfig-missing", "flux-objects-remain", "in-use",
		"karpenter-volumes-attached", "knative-channel-not-ready", "paused", "reference-missing", "remote-not-ready", "rook-dependents", "rook-disaster-protection",
		"rook-not-empty", "rook-volumes-remain", "volume-not-deleted",
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the controller is looked for behind %v, want %v", got, want)
	}
	if slices.ContainsFunc(diagnose.Causes(), func(c kit.Cause) bool { return c.ControllerNext && c.Find == nil && c.ByEntry == nil }) {
		t.Error("a cause of the controller itself asks for the controller again")
	}
}

// Where the finalizer is to be removed by hand, no controller would go on: none is looked for.
func TestNoControllerBehindARemovalByHand(t *testing.T) {
	look, remove, mend := stuck.Step{Action: stuck.ActionCheck}, stuck.Step{Action: stuck.ActionForce}, stuck.Step{Action: stuck.ActionDelete}
	for name, test := range map[string]struct {
		steps []stuck.Step
		want  bool
	}{
		"look, then remove it by hand":  {[]stuck.Step{look, remove}, false},
		"look":                          {[]stuck.Step{look}, true},
		"mend it, or remove it by hand": {[]stuck.Step{look, mend, remove}, true},
		"mend it":                       {[]stuck.Step{mend}, true},
	} {
		if got := diagnose.NeedsControllerNext(stuck.Finding{Cause: rook.DisasterProtection.ID, Steps: test.steps}); got != test.want {
			t.Errorf("%s: the controller is looked for: %t", name, got)
		}
	}
}
