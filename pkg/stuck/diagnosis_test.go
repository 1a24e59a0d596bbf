package stuck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestWorse(t *testing.T) {
	// From what stands most against forcing an object to what permits it.
	order := []stuck.Verdict{stuck.Blocked, stuck.Unknown, stuck.Progressing, stuck.ControllerGone}
	for i, worse := range order {
		for _, better := range order[i:] {
			if got := stuck.MoreCautious(worse, better); got != worse {
				t.Errorf("the worse of %s and %s is %s", worse, better, got)
			}
			if got := stuck.MoreCautious(better, worse); got != worse {
				t.Errorf("the worse of %s and %s is %s", better, worse, got)
			}
		}
	}
}

const finalizer = "example.com/cleanup"

// explainedBy is the diagnosis of an object with one finalizer, which one finding
// with this verdict explains.
func explainedBy(v stuck.Verdict, waitsFor ...*stuck.Diagnosis) *stuck.Diagnosis {
	d := stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer}}, []stuck.Finding{{Verdict: v, Explains: []string{finalizer}}}, nil)
	d.WaitsFor = waitsFor
	return d
}

// unexplained is the diagnosis of an object whose finalizer nothing accounts
// for.
func unexplained(waitsFor ...*stuck.Diagnosis) *stuck.Diagnosis {
	d := stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer}}, nil, nil)
	d.WaitsFor = waitsFor
	return d
}

func withOpenCause(d *stuck.Diagnosis) *stuck.Diagnosis {
	d.NotRuledOut = append(d.NotRuledOut, stuck.OpenCause{Cause: "some-cause", Source: "pods"})
	return d
}

// withSkippedProbe is a diagnosis for which no dry run was sent.
func withSkippedProbe(d *stuck.Diagnosis) *stuck.Diagnosis {
	d.NotRuledOut = append(d.NotRuledOut, stuck.OpenCause{Cause: "some-cause", Source: "a dry run", ProbeSkipped: true})
	return d
}

// withoutWriter is the diagnosis of an object whose controller is gone.
func withoutWriter() *stuck.Diagnosis {
	return stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer}},
		[]stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{finalizer}, HoldsWithoutProbe: true}}, nil)
}

// waitingFor is the diagnosis of an object that only waits for another.
func waitingFor(w *stuck.Diagnosis) *stuck.Diagnosis {
	d := stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer}},
		[]stuck.Finding{{Explains: []string{finalizer}, WaitsFor: []stuck.Object{w.Object}}}, nil)
	d.WaitsFor = []*stuck.Diagnosis{w}
	return d
}

// TestDoubtAsksForConsent holds that a doubt does not change what is said, and keeps the finalizer from being removed
// without consent.
func TestDoubtAsksForConsent(t *testing.T) {
	d := withoutWriter()
	d.Findings[0].Doubt = "one more watch is open than is explained"
	if said, allowed := d.Conclude(), d.VerdictFor([]string{finalizer}); said != stuck.ControllerGone || allowed != stuck.Unknown {
		t.Errorf("it is called %s, and removed as %s", said, allowed)
	}
}

func TestConclude(t *testing.T) {
	const link = stuck.Verdict("")
	tests := map[string]struct {
		diagnosis *stuck.Diagnosis
		want      stuck.Verdict
	}{
		"nothing was found": {
			diagnosis: stuck.NewDiagnosis(stuck.Object{}, nil, nil),
			want:      stuck.Unknown,
		},
		"one finding decides": {diagnosis: explainedBy(stuck.ControllerGone), want: stuck.ControllerGone},
		"a link is what it waits for": {
			diagnosis: explainedBy(link, explainedBy(stuck.ControllerGone), explainedBy(stuck.Progressing)),
			want:      stuck.Progressing,
		},
		"a link whose end was not found concludes nothing": {diagnosis: explainedBy(link), want: stuck.Unknown},
		"something waited for is not explained": {
			diagnosis: explainedBy(link, explainedBy(stuck.ControllerGone), unexplained()),
			want:      stuck.Unknown,
		},
		"an open cause forbids ControllerGone": {
			diagnosis: withOpenCause(explainedBy(stuck.ControllerGone)),
			want:      stuck.Unknown,
		},
		"a dry run that was not sent forbids it where somebody may be left to write": {
			diagnosis: withSkippedProbe(explainedBy(stuck.ControllerGone)),
			want:      stuck.Unknown,
		},
		"a dry run that was not sent does not matter without a controller that writes": {
			diagnosis: withSkippedProbe(withoutWriter()),
			want:      stuck.ControllerGone,
		},
		"another open cause does": {
			diagnosis: withOpenCause(withSkippedProbe(withoutWriter())),
			want:      stuck.Unknown,
		},
		"a dry run that was not sent matters for what only waits": {
			diagnosis: withSkippedProbe(waitingFor(withoutWriter())),
			want:      stuck.Unknown,
		},
		"an open cause further down forbids it too": {
			diagnosis: explainedBy(link, withOpenCause(explainedBy(stuck.ControllerGone))),
			want:      stuck.Unknown,
		},
		"an open cause does not change Blocked": {
			diagnosis: withOpenCause(explainedBy(stuck.Blocked)),
			want:      stuck.Blocked,
		},
		"blocked beats everything else that is waited for": {
			diagnosis: explainedBy(link, explainedBy(stuck.ControllerGone), unexplained(), explainedBy(stuck.Progressing), explainedBy(stuck.Blocked)),
			want:      stuck.Blocked,
		},
		"blocked is worth saying while another finalizer is not understood": {
			diagnosis: stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer, "example.com/other"}},
				[]stuck.Finding{{Verdict: stuck.Blocked, Explains: []string{finalizer}}}, nil),
			want: stuck.Blocked,
		},
		"orphaned is not, while another finalizer is not understood": {
			diagnosis: stuck.NewDiagnosis(stuck.Object{Finalizers: []string{finalizer, "example.com/other"}},
				[]stuck.Finding{{Verdict: stuck.ControllerGone, Explains: []string{finalizer}}}, nil),
			want: stuck.Unknown,
		},
		"a verdict that is known already stands": {
			diagnosis: &stuck.Diagnosis{Verdict: stuck.Progressing},
			want:      stuck.Progressing,
		},
		"an object that waits for itself": {diagnosis: cycle(explainedBy(link)), want: stuck.Unknown},
		"two that wait for each other":    {diagnosis: cycle(explainedBy(link), explainedBy(link)), want: stuck.Unknown},
		"a circle that waits for something that can be fixed": {
			diagnosis: cycle(explainedBy(link), explainedBy(link, explainedBy(stuck.Blocked))),
			want:      stuck.Blocked,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.diagnosis.Conclude(); got != test.want {
				t.Errorf("the verdict is %s, not %s", got, test.want)
			}
			if got := test.diagnosis.Verdict; got != test.want {
				t.Errorf("the verdict that is kept is %s, not %s", got, test.want)
			}
		})
	}
}

// cycle makes each wait for the next, and the last for the first.
func cycle(all ...*stuck.Diagnosis) *stuck.Diagnosis {
	for i, d := range all {
		d.WaitsFor = append(d.WaitsFor, all[(i+1)%len(all)])
	}
	return all[0]
}

// Whoever is asked first, the members of a circle wait for the same things.
func TestCircleIsJudgedAlikeFromEverySide(t *testing.T) {
	const link = stuck.Verdict("")
	for name, first := range map[string]int{"the one that is blocked": 0, "the one that waits for it": 1} {
		t.Run(name, func(t *testing.T) {
			// The first waits for the second before it waits for what blocks it.
			both := []*stuck.Diagnosis{explainedBy(link), explainedBy(link)}
			cycle(both...)
			both[0].WaitsFor = append(both[0].WaitsFor, explainedBy(stuck.Blocked))
			both[first].Conclude()
			for _, d := range both {
				if got := d.Conclude(); got != stuck.Blocked {
					t.Errorf("the verdict is %s, not %s", got, stuck.Blocked)
				}
			}
		})
	}
}

func TestExplainFindsWhatNothingAccountsFor(t *testing.T) {
	o := stuck.Object{SpecFinalizers: []string{"kubernetes", "example.com/spec"}, Finalizers: []string{"a", "b", "c"}}
	findings := []stuck.Finding{{Explains: []string{"kubernetes", "b"}}, {Explains: []string{"b", "c"}}, {}}
	want := []string{"example.com/spec", "a"}
	if diff := cmp.Diff(want, stuck.NewDiagnosis(o, findings, nil).Unexplained); diff != "" {
		t.Errorf("unexplained (-want +got):\n%s", diff)
	}
}

func TestAllIsEachOnceNearestFirst(t *testing.T) {
	named := func(name string, waitsFor ...*stuck.Diagnosis) *stuck.Diagnosis {
		return &stuck.Diagnosis{Object: stuck.Object{Name: name}, WaitsFor: waitsFor}
	}
	end := named("end")
	root := named("root", named("left", end), named("right", end))
	end.WaitsFor = []*stuck.Diagnosis{root}
	var got []string
	for _, d := range root.All() {
		got = append(got, d.Object.Name)
	}
	if diff := cmp.Diff([]string{"root", "left", "right", "end"}, got); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}
