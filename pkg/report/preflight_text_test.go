package report_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Only what takes long is worth a line.
func TestPreflightTime(t *testing.T) {
	for dependents, want := range map[int]bool{1199: false, 12000: true} {
		r := preflight.Result{Outcome: preflight.GoesThrough, Selected: []stuck.Object{stuckWidget("w1").Object}, Objects: dependents + 1}
		r.Estimate = preflight.Estimate{Dependents: dependents, Collection: time.Duration(dependents/preflight.CollectorRate) * time.Second}
		text := output(t, func(out io.Writer) error { return report.PreflightText(out, r, 200, 0) })
		if strings.Contains(text, "The garbage collector needs 10m or more for 12000 dependents: by default it deletes 20 a second.") != want {
			t.Errorf("%d: %s", dependents, text)
		}
	}
	shop := preflight.NamespaceEstimate{Name: "shop", Objects: 3000, Deletion: 30 * time.Second, Pods: 10*time.Minute + 2*time.Second, Waits: 5 * time.Second}
	r := preflight.Result{Outcome: preflight.GoesThrough, Estimate: preflight.Estimate{SlowestNamespace: shop, Namespaces: shop.Total(), GracePeriod: 10 * time.Minute, SlowestPod: stuckWidget("w1").Object}}
	text := output(t, func(out io.Writer) error { return report.PreflightText(out, r, 400, 0) })
	want := "Without the time of controllers, namespace/shop takes about 10m: the namespace controller waits 5s, and up to 10m for Pods, and the API server deletes 3000 objects one after another in about 30s."
	for _, want := range []string{want, "Pods may take up to 10m: that is the grace period of "} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("it does not print %q: %s", want, text)
		}
	}
}

// Objects that are not deleted are in each report, by type and count.
func TestPreflightOthers(t *testing.T) {
	r := preflight.Result{Outcome: preflight.OthersGetStuck, Selected: []stuck.Object{stuckWidget("w1").Object}, Objects: 1, Others: []preflight.Other{{
		Finding: stuck.Finding{Cause: "controller-gone", Message: "deployment/op -n tools is deleted", Certainty: stuck.Likely, Verdict: stuck.Blocked},
		Objects: []stuck.Tally{{Name: "zones.example.com", Singular: "zone.example.com", Objects: 3}}, Namespaces: []string{"a", "b"},
	}}}
	for _, format := range []string{"junit", "github", "markdown", "html"} {
		text := output(t, func(out io.Writer) error { return report.WriteReport(out, format, report.NewPreflightSummary(r)) })
		if !strings.Contains(text, "3 zones.example.com in 2 namespaces") || !strings.Contains(text, "deployment/op -n tools is deleted") {
			t.Errorf("%s: %s", format, text)
		}
	}
	if text := output(t, func(out io.Writer) error {
		return report.WriteReport(out, "openmetrics", report.NewPreflightSummary(r))
	}); !strings.Contains(text, `kubectl_finalizers_preflight_other_objects{cause="controller-gone"} 3.0`) {
		t.Errorf("the metrics are %s", text)
	}
	if text := output(t, func(out io.Writer) error { return report.PreflightText(out, r, 200, 0) }); !strings.Contains(text, "[1] controller-gone, likely\n    3 zones.example.com in 2 namespaces: deployment/op -n tools is deleted\n") {
		t.Errorf("it prints %s", text)
	}
}

// Of many causes the most urgent have a block, and the numbers that follow are of what is printed.
func TestPreflightOfManyCauses(t *testing.T) {
	r := preflight.Result{Outcome: preflight.GetsStuck, Selected: []stuck.Object{stuckWidget("w1").Object}, Objects: 40, Others: []preflight.Other{{
		Finding: stuck.Finding{Cause: "controller-gone", Message: "deployment/op -n tools is deleted", Certainty: stuck.Likely, Verdict: stuck.Blocked},
		Objects: []stuck.Tally{{Name: "zones.example.com", Singular: "zone.example.com", Objects: 3}},
	}}}
	for i := range 40 {
		d := stuckWidget(fmt.Sprintf("w%d", i))
		d.Findings[0].Message = fmt.Sprintf("operator %d is down", i)
		r.Diagnoses = append(r.Diagnoses, d)
	}
	for _, name := range []preflight.StageName{preflight.StageFinalizers, preflight.StageNamespaces} {
		r.Order = append(r.Order, preflight.Stage{Name: name, Delete: r.Selected})
	}
	text := output(t, func(out io.Writer) error { return report.PreflightText(out, r, 200, 0) })
	for _, want := range []string{
		"\n[12] controller-down, confirmed\n", "\nand 28 more causes (-o json has all)\n", "\n[13] controller-gone, likely\n",
		"\nSafe order of deletion, when causes 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 28 more are fixed\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
