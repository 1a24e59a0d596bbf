package stuck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestVerdictFor(t *testing.T) {
	const other = "example.com/other"
	below := func(v stuck.Verdict, name string) *stuck.Diagnosis {
		d := explainedBy(v)
		d.Object.Name = name
		d.Conclude()
		return d
	}
	blocked, orphaned := below(stuck.Blocked, "blocked"), below(stuck.ControllerGone, "orphaned")
	tests := map[string]struct {
		findings []stuck.Finding
		open     []stuck.OpenCause
		waitsFor []*stuck.Diagnosis
		want     stuck.Verdict
	}{
		"what explains it decides": {
			findings: []stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{finalizer}}, {Verdict: stuck.Blocked, Explains: []string{other}}},
			want:     stuck.ControllerGone,
		},
		"what holds the object as a whole counts too": {
			findings: []stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{finalizer}}, {Verdict: stuck.Progressing}},
			want:     stuck.Progressing,
		},
		"what the object as a whole waits for counts too": {
			findings: []stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{finalizer}}, {WaitsFor: []stuck.Object{blocked.Object}}},
			waitsFor: []*stuck.Diagnosis{blocked},
			want:     stuck.Blocked,
		},
		"it waits for one object, another finalizer for another": {
			findings: []stuck.Finding{
				{Explains: []string{finalizer}, WaitsFor: []stuck.Object{orphaned.Object}},
				{Explains: []string{other}, WaitsFor: []stuck.Object{blocked.Object}},
			},
			waitsFor: []*stuck.Diagnosis{blocked, orphaned},
			want:     stuck.ControllerGone,
		},
		"nothing explains it": {
			findings: []stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{other}}},
			want:     stuck.Unknown,
		},
		"what explains it only adds something": {
			findings: []stuck.Finding{{Explains: []string{finalizer}}, {Verdict: stuck.ControllerGone}},
			want:     stuck.Unknown,
		},
		"an open cause": {
			findings: []stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{finalizer}}},
			open:     []stuck.OpenCause{{Cause: "some-cause", Source: "pods"}},
			want:     stuck.Unknown,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer, other}}, test.findings, test.open)
			d.WaitsFor = test.waitsFor
			if got := d.VerdictFor([]string{finalizer}); got != test.want {
				t.Errorf("VerdictFor(%s) = %s, want %s", finalizer, got, test.want)
			}
		})
	}
}

// What two causes say in the same words is said once, whatever else they know of it.
func TestCostOfSaysEachOnce(t *testing.T) {
	const held, other = "example.com/a", "example.com/b"
	skipped := stuck.Cost{Leaves: stuck.LeakUnknown, Description: "cleanup is skipped"}.WithNote("; a forced removal is rejected too")
	unexamined, external := skipped, skipped
	unexamined.Unexamined, external.Leaves = true, stuck.LeakExternal
	d := stuck.NewDiagnosis(stuck.Object{Finalizers: []string{held, other}}, []stuck.Finding{
		{Cause: "webhook", Verdict: stuck.Blocked, Explains: []string{held}, OnForce: skipped},
		{Cause: "policy", Verdict: stuck.Blocked, Explains: []string{held, other}, OnForce: unexamined},
		{Cause: "account", Verdict: stuck.Blocked, Explains: []string{other}, OnForce: external},
	}, nil)
	if diff := cmp.Diff([]stuck.Cost{skipped, external}, d.CostOf([]string{held, other})); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
}

func TestFindingFor(t *testing.T) {
	adds := stuck.Finding{Cause: "adds"}
	link := stuck.Finding{Cause: "link", WaitsFor: []stuck.Object{{Name: "a"}}}
	blocked := stuck.Finding{Cause: "blocked", Verdict: stuck.Blocked}
	orphaned := stuck.Finding{Cause: "orphaned", Verdict: stuck.ControllerGone}
	tests := map[string]struct {
		findings []stuck.Finding
		verdict  stuck.Verdict
		want     string
	}{
		"the one with the verdict":          {[]stuck.Finding{link, orphaned, blocked}, stuck.Blocked, "blocked"},
		"none has it: the first reason":     {[]stuck.Finding{adds, link, orphaned}, stuck.Unknown, "link"},
		"what merely adds is no reason":     {[]stuck.Finding{adds}, stuck.Unknown, ""},
		"no verdict is not that of a link":  {[]stuck.Finding{adds, orphaned}, "", "orphaned"},
		"nothing was found":                 {nil, stuck.Unknown, ""},
		"one with a verdict before a link":  {[]stuck.Finding{orphaned, link}, stuck.Unknown, "orphaned"},
		"the verdict follows from the link": {[]stuck.Finding{link}, stuck.Blocked, "link"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := (&stuck.Diagnosis{Findings: test.findings}).FindingFor(test.verdict)
			if got.Cause != test.want || ok != (test.want != "") {
				t.Errorf("FindingFor(%s) = %q, %t, want %q", test.verdict, got.Cause, ok, test.want)
			}
		})
	}
}

func TestPrimaryFinding(t *testing.T) {
	d := &stuck.Diagnosis{Verdict: stuck.Blocked, Findings: []stuck.Finding{
		{Cause: "adds"}, {Cause: "link", WaitsFor: []stuck.Object{{Name: "a"}}}, {Cause: "blocked", Verdict: stuck.Blocked},
	}}
	for verdict, want := range map[stuck.Verdict]string{stuck.Blocked: "blocked", stuck.Unknown: "link"} {
		d.Verdict = verdict
		if got, ok := d.PrimaryFinding(); !ok || got.Cause != want {
			t.Errorf("of %s, PrimaryFinding() = %q, %t, want %q", verdict, got.Cause, ok, want)
		}
	}
	d.Findings = d.Findings[:1]
	if got, ok := d.PrimaryFinding(); ok {
		t.Errorf("PrimaryFinding() = %q, which merely adds something", got.Cause)
	}
}
