package removal_test

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestRefuseElsewhere holds that no dry run goes to a server that may take it
// for a real write, and that whoever may not read APIServices can remove what
// others can.
func TestRefuseElsewhere(t *testing.T) {
	crate := stuck.Type{Group: "example.com", Version: "v1", Resource: "crates", Kind: "Crate", Namespaced: true}
	api := func(spec map[string]any) recording.Answer {
		return recording.Answer{Objects: []map[string]any{{"metadata": map[string]any{"name": "v1.example.com"}, "spec": spec}}}
	}
	for name, test := range map[string]struct {
		of      stuck.Type
		answer  recording.Answer
		refused bool
	}{
		"an extension server":         {crate, api(map[string]any{"service": map[string]any{"namespace": "sys", "name": "crates"}}), true},
		"a CustomResourceDefinition":  {crate, api(map[string]any{}), false},
		"not to be seen":              {crate, recording.Answer{Error: &metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonForbidden, Code: http.StatusForbidden}}, false},
		"a type of Kubernetes itself": {stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}, recording.Answer{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			test.answer.Question = "get apiservices.apiregistration.k8s.io/v1.example.com"
			judge := removal.Diagnoser{Source: (&recording.Recording{Answers: []recording.Answer{test.answer}}).Source([]stuck.Type{test.of})}
			plan := removal.NewPlan([]*stuck.Diagnosis{orphanedDiagnosis(test.of, "example.com/hold")}, loadCatalog(t), removal.Consent{})
			if err := judge.RefuseExtensionTypes(t.Context(), &plan); err != nil {
				t.Fatal(err)
			}
			refused := len(plan.Steps) == 0 && len(plan.Refusals) == 1 && strings.Contains(plan.Refusals[0].Reason, "extension API server")
			if refused != test.refused || !refused && len(plan.Steps) != 1 {
				t.Errorf("refused: %t; steps %v, refusals %v", refused, plan.Steps, plan.Refusals)
			}
		})
	}
}
