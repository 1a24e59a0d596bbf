package stuck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What force costs is known from the catalog where no cause was found, or one that does not say.
func TestCostOfKnownFinalizers(t *testing.T) {
	data, objects := stuck.Cost{Leaves: stuck.LeakData, Description: "the snapshot may be incomplete"}, stuck.Cost{Leaves: stuck.LeakObjects, Description: "some objects"}
	known := map[string]stuck.KnownFinalizer{"a": {IfForced: data}, "b": {IfForced: objects}}
	found := func(cost stuck.Cost, explains ...string) []stuck.Finding {
		return []stuck.Finding{{Verdict: stuck.Blocked, Explains: explains, OnForce: cost}}
	}
	const note = "; and force is refused too"
	refused := stuck.UnknownCost("a", "b").WithNote(note)
	partly := stuck.UnknownCost("a", "c")
	specific, external := stuck.Cost{Leaves: stuck.LeakUnknown, Description: "what it wrote last"}, stuck.Cost{Leaves: stuck.LeakExternal, Description: "a machine"}
	for name, test := range map[string]struct {
		findings []stuck.Finding
		of       string
		want     []stuck.Cost
	}{
		"no cause":                              {of: "a", want: []stuck.Cost{data}},
		"no cause, and not known":               {of: "c", want: []stuck.Cost{stuck.UnknownCost("c")}},
		"a cause that does not say":             {findings: found(refused, "a", "b"), of: "b", want: []stuck.Cost{stuck.Cost{Leaves: stuck.LeakData, Description: "the snapshot may be incomplete; some objects"}.WithNote(note)}},
		"a cause of which not all are known":    {findings: found(partly, "a", "c"), of: "a", want: []stuck.Cost{partly, data}},
		"a cause that says what may be lost":    {findings: found(specific, "a"), of: "a", want: []stuck.Cost{specific, data}},
		"a cause that says what is left behind": {findings: found(external, "a"), of: "a", want: []stuck.Cost{external}},
		"a cause beside objects":                {findings: found(specific, "b"), of: "b", want: []stuck.Cost{specific}},
	} {
		d := stuck.NewDiagnosis(stuck.Object{Finalizers: []string{"a", "b", "c"}}, test.findings, nil)
		d.SetKnown(known)
		if diff := cmp.Diff(test.want, d.CostOf([]string{test.of})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
