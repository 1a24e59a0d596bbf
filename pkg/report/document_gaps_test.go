package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestGapsAreValues(t *testing.T) {
	widgets := schema.GroupResource{Group: "example.com", Resource: "widgets"}
	gaps := []stuck.Gap{
		{
			Source: "widgets.example.com -n shop", Error: "forbidden", Type: widgets, Namespace: "shop",
			MissingPermission: &stuck.Permission{Verb: "list", Group: "example.com", Resource: "widgets"},
		},
		{Source: "widgets.example.com", Error: "timed out", Type: widgets},
		{Source: "example.com/v1", Error: "503", GroupVersion: schema.GroupVersion{Group: "example.com", Version: "v1"}},
		{Source: "/metrics", Error: "forbidden", MissingPermission: &stuck.Permission{Verb: "get", Path: "/metrics"}},
		{Source: "a dry run", Error: "not sent", ProbeSkipped: true},
		{Source: "the time", Error: "it is off"},
	}
	want := []report.Gap{
		{Source: "widgets.example.com -n shop", Resource: "widgets.example.com", Namespace: "shop", Verb: "list", Reason: report.GapForbidden, Message: "forbidden"},
		{Source: "widgets.example.com", Resource: "widgets.example.com", Verb: "list", Reason: report.GapReadFailed, Message: "timed out"},
		{Source: "example.com/v1", GroupVersion: "example.com/v1", Reason: report.GapDiscoveryFailed, Message: "503"},
		{Source: "/metrics", Verb: "get", Reason: report.GapForbidden, Message: "forbidden"},
		{Source: "a dry run", Reason: report.GapDryRunSkipped, Message: "not sent"},
		{Source: "the time", Reason: report.GapReadFailed, Message: "it is off"},
	}
	if diff := cmp.Diff(want, report.NewStuckList(nil, gaps).Gaps); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
