package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// forbiddenList is the gap of a type that may not be listed.
func forbiddenList(resource, group string) stuck.Gap {
	t := schema.GroupResource{Group: group, Resource: resource}
	return stuck.Gap{Source: t.String(), Error: "forbidden", Type: t, MissingPermission: &stuck.Permission{Verb: "list", Group: group, Resource: resource}}
}

// What could not be read comes last and short, with the permissions that matter to the answer.
func TestOpenGaps(t *testing.T) {
	var many []stuck.Gap
	var open []stuck.OpenCause
	for i := range 38 {
		many = append(many, forbiddenList(fmt.Sprintf("type%02d", i), "example.com"))
		open = append(open, stuck.OpenCause{Cause: "content-held", Source: many[i].Source})
	}
	root := func(open ...stuck.OpenCause) *stuck.Diagnosis {
		d := stuckWidget("w1")
		d.NotRuledOut = open
		return d
	}
	unknown := root(stuck.OpenCause{Cause: "x", Source: "leases"})
	unknown.Verdict = stuck.Unknown
	for name, test := range map[string]struct {
		screen report.Screen
		want   string
	}{
		"a source that matters, and one that does not": {
			report.Screen{
				Root: root(stuck.OpenCause{Cause: "node-lost", Source: "nodes"}, stuck.OpenCause{Cause: "controller-down", Source: "nodes"}),
				Gaps: []stuck.Gap{forbiddenList("nodes", ""), forbiddenList("events", "")},
			},
			`  nodes: forbidden
  events: forbidden
  so these causes could not be checked: node-lost
  an administrator permits it so (USER is what kubectl auth whoami prints):
  kubectl create clusterrole finalizers-reader --verb=get,list --resource=nodes --dry-run=client -o yaml | kubectl auth reconcile -f -
  kubectl create clusterrolebinding finalizers-reader --clusterrole=finalizers-reader --user=USER --dry-run=client -o yaml | kubectl auth reconcile -f -
`,
		},
		"many types, of which the conditions name one": {
			report.Screen{
				Root: root(open...), Gaps: many, ListableTypes: 60,
				Remaining: map[schema.GroupResource]int{{Group: "example.com", Resource: "type07"}: 12, {Group: "example.com", Resource: "readable"}: 1},
			},
			`  38 of 60 types: forbidden: type00.example.com, type01.example.com,
    type02.example.com and 35 more (-o json has all)
  so these causes could not be checked: content-held
  the conditions of the namespace name, of these: 12 type07.example.com
  an administrator permits it so (USER is what kubectl auth whoami prints):
  kubectl create clusterrole finalizers-reader --verb=get,list --resource=type07.example.com --dry-run=client -o yaml | kubectl auth reconcile -f -
  kubectl create clusterrolebinding finalizers-reader --clusterrole=finalizers-reader --user=USER --dry-run=client -o yaml | kubectl auth reconcile -f -
`,
		},
		"a permission that would not help": {
			report.Screen{Root: root(stuck.OpenCause{Cause: "x", Source: "leases"}), Gaps: []stuck.Gap{{Source: "leases", Error: "no answer in time"}}},
			"  leases: no answer in time\n  so these causes could not be checked: x\n",
		},
		"nothing is known to be blocked": {
			report.Screen{Root: unknown, Gaps: []stuck.Gap{{Source: "leases", Error: "no answer in time"}}},
			"  leases: no answer in time\n  so these causes are possible too: x\n",
		},
		"a long error": {
			report.Screen{Root: stuckWidget("w1"), Gaps: []stuck.Gap{{Source: "leases", Error: strings.Repeat("word ", 40)}}},
			"  leases: word word word word word word word word word word word word word word\n    word word word word word word word word word word word word word word word\n    word... (-o json has all)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.screen.Now = now
			_, got, _ := strings.Cut(screenText(t, test.screen), "\nNot checked\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	living := &stuck.Diagnosis{Object: stuck.Object{Type: widget, Name: "w1"}}
	if got, want := explanationText(t, living, stuck.Gap{Source: "pods", Error: "forbidden"}), "widget.example.com/w1 is not being deleted.\n\nNot checked\n  pods: forbidden\n"; got != want {
		t.Errorf("of what nobody deletes it says %q, not %q", got, want)
	}
}
