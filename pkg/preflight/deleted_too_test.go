package preflight

import (
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A prediction speaks of nothing as being deleted that is not, and offers no step that is refused until it is.
func TestForgetLaterDeletion(t *testing.T) {
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	for deleted, want := range map[bool]string{false: "namespace/shop is deleted too, so nothing can be created in it", true: "namespace/shop is being deleted, so nothing can be created in it"} {
		shop := stuck.Object{Type: namespaces, Name: "shop", UID: "1"}
		if deleted {
			shop.DeletionTime = now
		}
		later := shop
		later.DeletionTime = now
		diagnosis := &stuck.Diagnosis{Object: later, Findings: []stuck.Finding{{
			Evidence: []string{"namespace/shop is being deleted, so nothing can be created in it"},
			Steps:    []stuck.Step{{Action: stuck.ActionCheck}, {Action: stuck.ActionForce}},
		}}}
		forgetLaterDeletion([]*stuck.Diagnosis{diagnosis}, newDeleted([]stuck.Object{shop}))
		f := diagnosis.Findings[0]
		if f.Evidence[0] != want || (len(f.Steps) == 2) != deleted {
			t.Errorf("%v: %q, %v", deleted, f.Evidence, f.Steps)
		}
	}
}
