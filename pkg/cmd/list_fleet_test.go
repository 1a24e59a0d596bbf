package cmd

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
)

func TestListFleet(t *testing.T) {
	file := kubeconfig(t, filepath.Join(t.TempDir(), "config"), "prod", "broken@10.0.0.1", "test", "other@10.0.0.2", "gone", "dead@10.0.0.9")
	tests := map[string]struct {
		args []string
		code int
		out  []string
		says string
	}{
		"a cluster is unreachable": {
			args: []string{"--all-contexts"},
			out:  []string{"CLUSTER OBJECT SINCE", "prod ns/shop", "prod 12 carts", "test ns/shop"}, says: "gone: could not be read: cannot reach the API server at https://10.0.0.9: connection refused",
		},
		"something is stuck":               {args: []string{"--all-contexts", "--exit-code"}, code: 2, out: []string{"prod ns/shop"}},
		"nothing is stuck for so long":     {args: []string{"--contexts=prod,test", "--older-than=99999h", "--exit-code"}, says: "No matching stuck objects found in namespace shop of 2 clusters.\n"},
		"and one is unreachable":           {args: []string{"--all-contexts", "--older-than=99999h", "--exit-code"}, code: 4, says: "No matching stuck objects found in namespace shop of 2 clusters, but not everything could be read.\n"},
		"all are unreachable":              {args: []string{"--contexts=gone"}, code: 1, says: "error: gone: cannot reach the API server"},
		"root causes":                      {args: []string{"--contexts=prod,test", "--by=cause"}, out: []string{"CLUSTER SINCE OBJECTS", "prod", "reference-missing"}},
		"in the order of the command line": {args: []string{"--contexts=test,prod", "-o", "custom-columns=C:.cluster", "--no-headers"}, out: []string{"test test prod"}},
		"a template":                       {args: []string{"--contexts=prod", "--template", "{{len .clusters}}"}, out: []string{"1"}},
		"a report":                         {args: []string{"--all-contexts", "-o", "junit"}, out: []string{`<testsuite name="gone" tests="1" failures="0" errors="1"`, `<testsuite name="test" tests="2" failures="2"`}},
		"metrics":                          {args: []string{"--all-contexts", "-o", "openmetrics"}, out: []string{`unread_sources{cluster="gone"} 1.0`, `stuck_objects{cluster="test",resource="namespaces"`}},
		"annotations":                      {args: []string{"--all-contexts", "-o", "github"}, out: []string{"::error title=test%3A reference-missing", "::warning title=could not be read::gone: the cluster: cannot reach"}},
		"a ticket":                         {args: []string{"--all-contexts", "-o", "markdown"}, out: []string{"Objects are stuck in Terminating in 2 of 3 clusters. 1 cluster could not be read.", "| Cluster | Namespace |", "| test | - | namespace/shop"}},
		"a page":                           {args: []string{"--contexts=test,gone", "-o", "html"}, out: []string{"Objects are stuck in Terminating in 1 of 2 clusters", "<th>Cluster"}},
		"a type of one of them":            {args: []string{"--contexts=prod,test", "carts"}, out: []string{"prod 12 carts"}, says: `test: the server doesn't have a resource type "carts"`},
		"a type of none of them":           {args: []string{"--contexts=prod,test", "none"}, code: 1, says: `error: in each of 2 clusters: the server doesn't have a resource type "none"`},
		"a name with a typo":               {args: []string{"--contexts=prodd"}, code: 1, says: `has no context "prodd" (did you mean prod?)`},
		"no name":                          {args: []string{"--contexts="}, code: 1, says: "--contexts names no context"},
		"both flags":                       {args: []string{"--contexts=prod", "--all-contexts"}, code: 1, says: "leave out one of them"},
		"a context too":                    {args: []string{"--all-contexts", "--context=prod"}, code: 1, says: "--all-contexts selects several clusters, and --context is for one"},
		"a credential":                     {args: []string{"--all-contexts", "--token=x"}, code: 1, says: "--token is for one"},
		"a watch":                          {args: []string{"--all-contexts", "-w"}, code: 1, says: "--watch watches one cluster"},
		"names alone":                      {args: []string{"--all-contexts", "-o", "name"}, code: 1, says: "-o name does not name the cluster"},
		"a field that no object has":       {args: []string{"--contexts=prod,test", "--sort-by=.spec.none"}, code: 1, says: "no object has that field"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := testFleet(t).run(t, append([]string{"list", "-n", "shop", "--kubeconfig", file}, test.args...)...)
			flat := strings.Join(strings.Fields(out), " ")
			for _, want := range test.out {
				if !strings.Contains(flat, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("it prints no %q:\n%s", want, out)
				}
			}
			if code != test.code || !strings.Contains(errOut, test.says) {
				t.Errorf("it ended with %d and said:\n%s", code, errOut)
			}
		})
	}
}

func TestListFleetDocument(t *testing.T) {
	file := kubeconfig(t, filepath.Join(t.TempDir(), "config"), "prod", "broken@10.0.0.1", "gone", "dead@10.0.0.9")
	_, out, _ := testFleet(t).run(t, "list", "-n", "shop", "--all-contexts", "--kubeconfig", file, "-o", "json")
	var list report.StuckList
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) == 0 || list.Items[0].Cluster != "prod" || list.Causes[0].Cluster != "prod" {
		t.Errorf("items and causes do not name the cluster: %s", out)
	}
	if diff := cmp.Diff([]string{"gone", "prod"}, []string{list.Clusters[0].Name, list.Clusters[1].Name}); diff != "" || list.Clusters[0].Error == "" {
		t.Errorf("the clusters are %+v", list.Clusters)
	}
	if i := len(list.Gaps) - 1; list.Gaps[i].Cluster != "gone" || list.Gaps[i].Source != "the cluster" {
		t.Errorf("the gaps are %+v", list.Gaps)
	}
	_, single, _ := testFleet(t).run(t, "list", "-n", "shop", "--context=prod", "--kubeconfig", file, "-o", "json")
	if strings.Contains(single, `"cluster"`) {
		t.Errorf("the list of one cluster names it:\n%s", single)
	}
}
