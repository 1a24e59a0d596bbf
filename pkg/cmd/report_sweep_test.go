package cmd_test

import (
	"bytes"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/sweep"
)

// sweptNamespace is a namespace that was selected by its labels.
func sweptNamespace(name string, action sweep.Action, result sweep.Result, message string) sweep.Item {
	namespaces := stuck.Type{Version: "v1", Resource: "namespaces", SingularName: "namespace", Kind: "Namespace"}
	return sweep.Item{
		Object: stuck.Object{Type: namespaces, Name: name, UID: types.UID(name)}, Action: action, Reason: "labels env=preview", Result: result, Message: message,
	}
}

// What a sweep reports is that of the golden files, when it has deleted and when its limits forbid that.
func TestSweepReports(t *testing.T) {
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	configMap := stuck.Object{
		Type:      stuck.Type{Version: "v1", Resource: "configmaps", SingularName: "configmap", Kind: "ConfigMap", Namespaced: true},
		Namespace: "pr-7", Name: "settings", UID: "settings", DeletionTime: now.Add(-90 * time.Second), Finalizers: []string{"example.com/cleanup"},
	}
	held := sweptNamespace("pr-7", sweep.Delete, sweep.Held, "not deleted: configmap/settings -n pr-7 still exists")
	held.Sweeps = 3
	swept := report.Sweep{
		Server: "https://127.0.0.1:6443", Context: "ci",
		Items: []sweep.Item{
			{Object: configMap, Action: sweep.Delete, Reason: "before namespace/pr-7", Result: sweep.Stuck, Sweeps: 3},
			held,
			sweptNamespace("pr-8", sweep.Delete, sweep.Deleted, ""),
			sweptNamespace("pr-9", sweep.Delete, sweep.Failed, "the API server rejected it: denied by policy"),
			sweptNamespace("pr-10", sweep.Delete, sweep.Skipped, "it changed, and is no longer selected"),
			{Object: sweptNamespace("pr-11", "", "", "").Object, Action: sweep.Keep, Reason: "ci.openshift.io/ttl.soft=2h: its Pods could not be read: forbidden", Unread: true},
			{Object: sweptNamespace("main", "", "", "").Object, Action: sweep.Keep, Reason: "janitor/ttl=0s: it never expires"},
		},
		Stuck: []*stuck.Diagnosis{{Object: configMap, Verdict: stuck.Blocked, Findings: []stuck.Finding{{
			Cause: "controller-down", Message: "deployment/cleaner -n tools, the controller of example.com/cleanup, is not running", Certainty: stuck.Likely, Verdict: stuck.Blocked,
			BlockedBy: stuck.Culprit{Kind: "Deployment", Namespace: "tools", Name: "cleaner"}, Evidence: []string{"0 of 1 ready"}, Explains: configMap.Finalizers,
			Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: "see why it is not running", Command: "kubectl -n tools describe deployment/cleaner"}},
		}}}},
		Gaps: []stuck.Gap{{Source: "widgets.example.com", Error: "forbidden"}},
	}
	refused := report.Sweep{
		Server: swept.Server, Context: swept.Context, Refusal: "2 objects are selected, and --max-objects is 1",
		Items: []sweep.Item{sweptNamespace("pr-7", sweep.Delete, "", ""), sweptNamespace("pr-8", sweep.Delete, "", "")},
	}
	for name, s := range map[string]report.Sweep{"sweep": swept, "sweep-refused": refused} {
		for format, file := range reportFiles {
			t.Run(name+" "+format, func(t *testing.T) {
				var out bytes.Buffer
				if err := report.WriteReport(&out, format, s.Report(now)); err != nil {
					t.Fatal(err)
				}
				compareReport(t, filepath.Join(reports, name, file), out.String())
			})
		}
	}
}
