package cmd

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"10m": 10 * time.Minute, "24h": 24 * time.Hour, "0": 0, "1d": 24 * time.Hour, "7d": 168 * time.Hour, "2d5h": 53 * time.Hour,
		"1d12h30m": 36*time.Hour + 30*time.Minute, "-1h": -time.Hour, "-1d": -24 * time.Hour, "106750d": 106750 * 24 * time.Hour,
	} {
		var got age
		if err := got.Set(text); err != nil || time.Duration(got) != want {
			t.Errorf("%q is %s, not %s: %v", text, time.Duration(got), want, err)
		}
		var again age
		if err := again.Set(got.String()); err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %s: %v", text, got.String(), time.Duration(again), err)
		}
	}
	for _, text := range []string{"", "d", "1", "1 d", "1d1", "1d-1h", "1.5d", "xd", "1dd", "1d1d", "h", "999999d", "1d25h", "9223372036854775808d"} {
		var got age
		if err := got.Set(text); err == nil {
			t.Errorf("%q is %s", text, time.Duration(got))
		}
	}
}

// What a command line of list cannot mean is refused before anything is read.
func TestListRefusesFlags(t *testing.T) {
	for line, want := range map[string]string{
		"list --older-than=-1h":                           "--older-than must not be negative",
		"list --older-than=-1d":                           "--older-than must not be negative",
		"list --older-than=soon":                          `invalid argument "soon" for "--older-than" flag: not a duration such as 10m, 24h, 7d or 1d12h; see kubectl finalizers list --help`,
		"list --by=owner":                                 `reading --by: "owner" is not supported; the only value is "cause"`,
		"list --by=cause -o json":                         "--by prints a table: use it without -o, or with -o wide",
		"list --by=cause -w":                              "--by cannot be used with --watch: leave out one of them",
		"list --by=cause --sort-by=.kind":                 "--by cannot be used with --sort-by: root causes are sorted by the objects that they block",
		"list --sort-by={{x}}":                            `reading --sort-by: unexpected path "{{x}}", expected .name1.name2 or {.name1.name2}`,
		"list --sort-by=.x[":                              "reading --sort-by: unterminated array",
		"list -n sensors --sort-by=.nope":                 "sorting by .nope: no object has that field; -o json shows the fields",
		"list --field-selector=spec.nodeName=a":           `reading --field-selector: field "spec.nodeName" is not supported; use metadata.name or metadata.namespace`,
		"list --field-selector=metadata.name":             `reading --field-selector: invalid selector: 'metadata.name'; can't understand 'metadata.name'`,
		"list -w -o yaml":                                 "--watch prints a line for each event: use it without -o, or with -o wide, -o name or -o json",
		"list -w --exit-code":                             "--watch cannot be used with --exit-code: it runs until it is interrupted",
		"list -w --all":                                   "--watch cannot be used with --all: it watches objects that are being deleted",
		"list pods -n sensors --field-selector=x!=y -o x": `unknown output format "x"; it is one of: wide, name, json, yaml, kyaml, jsonpath, go-template, custom-columns, junit, github, markdown, openmetrics, html`,
	} {
		t.Run(line, func(t *testing.T) {
			code, out, errOut := run(t, "node-does-not-answer", nil, strings.Fields(line)...)
			if code != 1 || out != "" || errOut != "error: "+want+"\n" {
				t.Errorf("it ends with %d and says\n%s%s\nnot\n%s", code, errOut, out, want)
			}
		})
	}
}

func TestFieldSelector(t *testing.T) {
	for flags, want := range map[string]string{
		"":                                     "pod/sensor-0\n",
		"--field-selector=metadata.name!=x":    "pod/sensor-0\n",
		"--field-selector metadata.name=x":     "",
		"--field-selector metadata.namespace=": "",
		"--field-selector metadata.name=sensor-0,metadata.namespace==sensors": "pod/sensor-0\n",
	} {
		code, out, errOut := run(t, "node-does-not-answer", nil, append([]string{"list", "-n", "sensors", "-o", "name"}, strings.Fields(flags)...)...)
		if code != 0 || out != want {
			t.Errorf("with %q it ends with %d, and prints %q, not %q: %s", flags, code, out, want, errOut)
		}
	}
	if _, _, errOut := run(t, "node-does-not-answer", nil, "list", "-n", "sensors", "--field-selector=metadata.name=x"); errOut != "No matching stuck objects found in namespace sensors.\n" {
		t.Errorf("of none that match, it says %q", errOut)
	}
}

// Items are sorted as kubectl get sorts: without the field first, and numbers by size.
func TestSortBy(t *testing.T) {
	of := func(kind, name string) *stuck.Diagnosis {
		return &stuck.Diagnosis{Object: stuck.Object{Type: stuck.Type{Version: "v1", Kind: kind}, Name: name, DeletionTime: now}}
	}
	alive := of("Pod", "alive")
	alive.Object.DeletionTime = time.Time{}
	for path, want := range map[string]string{
		"":                    "first second 10 9 alive",
		".kind":               "10 second 9 alive first",
		"{.kind}":             "10 second 9 alive first",
		"kind":                "10 second 9 alive first",
		"{..name}":            "9 10 alive first second",
		"..deletionTimestamp": "alive first second 10 9",
	} {
		o := &listOptions{listFlags: listFlags{sortBy: path}}
		sorted, err := o.sorted([]*stuck.Diagnosis{of("Secret", "first"), of("ConfigMap", "second"), of("2", "10"), of("Node", "9"), alive})
		if err != nil {
			t.Errorf("by %q: %v", path, err)
		}
		var got []string
		for _, d := range sorted {
			got = append(got, d.Object.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %q they are %v, not %s", path, got, want)
		}
	}
}

// A root cause takes one row, however many wait for it.
func TestListByCause(t *testing.T) {
	code, out, errOut := run(t, "carts-hold-a-namespace", nil, "list", "-n", "shop", "--by=cause")
	want := `SINCE  OBJECTS  VERDICT         CAUSE            BLOCKED BY                 AFFECTS
11s    13       ControllerGone  controller-gone  shop.example.com/checkout  ns/shop, 12 carts -n shop
11s    2        ControllerGone  controller-gone  shop.example.com/cleanup   ns/shop, widget/w1 -n shop
`
	if diff := cmp.Diff(want, out); code != 0 || errOut != "" || diff != "" {
		t.Errorf("it ends with %d (-want +got):\n%s%s", code, diff, errOut)
	}
}

// Types go by the short names that, as an argument, mean them and no others.
func TestTypeNames(t *testing.T) {
	served := extendedTypes(t)
	for word, want := range map[string]string{
		"pods": "pod pods", "namespaces": "ns namespaces", "persistentvolumeclaims": "pvc persistentvolumeclaims", "services": "service services",
		"deployments.apps": "deploy deployments", "validatingwebhookconfigurations": "validatingwebhookconfiguration validatingwebhookconfigurations",
		"alphas": "alpha alphas", "widgets.b.example.com": "widget.b.example.com widgets.b.example.com", "pods.d.example.com": "deployment.d.example.com pods.d.example.com",
	} {
		of, err := served.resolve(word)
		if err != nil {
			t.Fatal(err)
		}
		if got := served.names().Singular(of) + " " + served.names().Plural(of); got != want {
			t.Errorf("%s is called %q, not %q", word, got, want)
		}
		if named, err := served.resolve(served.names().Singular(of)); err != nil || named.GVR() != of.GVR() {
			t.Errorf("%s is called %q, which means %s: %v", word, served.names().Singular(of), named, err)
		}
	}
	for kind, want := range map[string]string{"PersistentVolumeClaim": "pvc", "Alpha": "alpha", "Widget": "widget", "Gizmo": "gizmo"} {
		if got := served.names().Kind(kind); got != want {
			t.Errorf("kind %s is called %q, not %q", kind, got, want)
		}
	}
	served.gaps = []stuck.Gap{{Source: "/apis/gone.example.com/v1", Error: "stale"}}
	alpha, _ := served.resolve("alphas")
	if got := served.names().Singular(alpha); got != "alpha.a.example.com" {
		t.Errorf("with types that could not be discovered it is called %q", got)
	}
}

// With -w -o json each event is a document on a line.
func TestEventDocuments(t *testing.T) {
	source := (&recording.Recording{Time: now}).Source(nil)
	var out strings.Builder
	o := &listOptions{listFlags: listFlags{output: outputFlags{Format: "json"}, watch: true}, source: source}
	o.program.Streams.Out = &out
	object := deletingObject(configMaps, "a", "1", -time.Minute)
	for _, event := range []report.Event{report.EventStuck, report.EventChanged, report.EventGone} {
		if err := o.printEvents(event, []*stuck.Diagnosis{{Object: object, Verdict: stuck.Unknown}}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var document struct{ APIVersion, Kind, Time, Event string }
		if err := json.Unmarshal([]byte(line), &document); err != nil || !strings.Contains(line, `"name":"a"`) {
			t.Fatalf("%v: %s", err, line)
		}
		got = append(got, document.APIVersion+" "+document.Kind+" "+document.Time+" "+document.Event)
	}
	const prefix = "kubectl-finalizers/v1alpha1 StuckEvent 2026-03-01T03:00:00Z "
	if diff := cmp.Diff([]string{prefix + "Stuck", prefix + "Changed", prefix + "Gone"}, got); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
}

// The rows of a watch that come later stand below the first.
func TestWatchKeepsItsColumns(t *testing.T) {
	source := (&recording.Recording{Time: now}).Source(nil)
	var out strings.Builder
	o := &listOptions{listFlags: listFlags{watch: true}, source: source}
	o.table = o.tableWriter()
	o.reserveWatchColumns()
	o.program.Streams.Out = &out
	for _, name := range []string{"a", "somewhat-longer"} {
		object := deletingObject(configMaps, name, "1", -time.Minute)
		if err := o.printEvents(report.EventGone, []*stuck.Diagnosis{{Object: object}}); err != nil {
			t.Fatal(err)
		}
	}
	want := `TIME       EVENT    NAMESPACE         OBJECT                            SINCE  VERDICT         CAUSE                     BLOCKED BY
03:00:00Z  GONE     -                 configmap/a                       60s    -               -                         -
03:00:00Z  GONE     -                 configmap/somewhat-longer         60s    -               -                         -
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
