package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var now = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

func TestFinalizerGlob(t *testing.T) {
	object := stuck.Object{Finalizers: []string{"example.com/cleanup", "foregroundDeletion"}}
	tests := map[string]struct {
		glob string
		of   stuck.Object
		want bool
	}{
		"none takes everything":            {glob: "", want: true},
		"the whole name":                   {glob: "example.com/cleanup", of: object, want: true},
		"any of a domain":                  {glob: "example.com/*", of: object, want: true},
		"any that it holds":                {glob: "foreground*", of: object, want: true},
		"letters":                          {glob: "[ef]oreground?eletion", of: object, want: true},
		"a part of the name":               {glob: "cleanup", of: object},
		"another domain":                   {glob: "*.example.com/*", of: object},
		"nothing to match":                 {glob: "*", of: stuck.Object{}},
		"what a namespace has in its spec": {glob: "kubernetes", of: stuck.Object{Type: stuck.Type{Kind: "Namespace"}}, want: true},
		"which no other object has":        {glob: "kubernetes", of: object},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := &listOptions{listFlags: listFlags{finalizer: test.glob}}
			if got := o.mayMatchFinalizer(test.of); got != test.want {
				t.Errorf("%q matches %v: %t", test.glob, test.of.Finalizers, got)
			}
		})
	}
}

func TestWanted(t *testing.T) {
	at := func(name string, deleted time.Time, finalizers ...string) stuck.Object {
		return stuck.Object{Name: name, UID: types.UID(name), DeletionTime: deleted, Finalizers: finalizers}
	}
	missing := at("namespace-missing", time.Time{})
	missing.NamespaceMissing = true
	found := []stuck.Object{
		at("hour", now.Add(-time.Hour), "example.com/a"),
		at("minute", now.Add(-time.Minute), "example.com/b"),
		at("grace", now.Add(time.Minute), "example.com/a"),
		at("held", time.Time{}, "example.com/a"),
		at("free", time.Time{}),
		missing,
	}
	tests := map[string]struct {
		flags listFlags
		want  []string
	}{
		"what is stuck":             {want: []string{"hour", "minute", "namespace-missing"}},
		"for ten minutes":           {flags: listFlags{olderThan: age(10 * time.Minute)}, want: []string{"hour"}},
		"for exactly an hour":       {flags: listFlags{olderThan: age(time.Hour)}, want: []string{"hour"}},
		"on a finalizer":            {flags: listFlags{finalizer: "*/b"}, want: []string{"minute"}},
		"all that has finalizers":   {flags: listFlags{all: true}, want: []string{"hour", "minute", "grace", "held", "namespace-missing"}},
		"all that has one of these": {flags: listFlags{all: true, finalizer: "*/a"}, want: []string{"hour", "grace", "held"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := &listOptions{listFlags: test.flags, source: (&recording.Recording{Time: now}).Source(nil)}
			var got []string
			for _, object := range o.listed(found) {
				got = append(got, object.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("wanted (-want +got):\n%s", diff)
			}
		})
	}
}

func TestObjectsThatTwoArgumentsNameCountOnce(t *testing.T) {
	objects := []stuck.Object{{Name: "a", UID: "1"}, {Name: "b", UID: "2"}, {Name: "a", UID: "1"}, {Name: "x"}, {Name: "y"}}
	var got []string
	for _, o := range deduplicate(objects) {
		got = append(got, o.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "x", "y"}, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// run is a command line on what was recorded of a story, with these questions
// refused.
func run(t *testing.T, story string, hide func(string) bool, args ...string) (code int, out, errOut string) {
	t.Helper()
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	stories, err := recording.Scenarios(scenarios)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		if s.Name != story {
			continue
		}
		source, err := s.Source()
		if err != nil {
			t.Fatal(err)
		}
		source.Hide = hide
		return runOn(t, source, args...)
	}
	t.Fatalf("there is no story %s", story)
	return 0, "", ""
}

func runOn(t *testing.T, source cluster.Source, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	p := New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}, func() time.Time { return now })
	p.Connect = func(*genericclioptions.ConfigFlags) (cluster.Source, error) { return source, nil }
	code = p.Run(t.Context(), args)
	return code, stdout.String(), stderr.String()
}

func TestExitCodes(t *testing.T) {
	const story = "node-does-not-answer"
	without := func(part string) func(string) bool {
		return func(question string) bool { return strings.Contains(question, part) }
	}
	tests := map[string]struct {
		args []string
		hide func(string) bool
		code int
		says string
	}{
		"something is stuck, and nobody asks":     {args: []string{"list", "-n", "sensors"}},
		"something is stuck":                      {args: []string{"list", "-n", "sensors", "--exit-code"}, code: 2},
		"as a document":                           {args: []string{"list", "-n", "sensors", "--exit-code", "-o", "json"}, code: 2},
		"something is stuck, and there is a gap":  {args: []string{"list", "-n", "sensors", "--exit-code"}, hide: without("scan services"), code: 2, says: "could not read services -n sensors: forbidden"},
		"nothing of the type is stuck":            {args: []string{"list", "configmaps", "-n", "sensors", "--exit-code"}, says: "No matching stuck objects"},
		"the type could not be read":              {args: []string{"list", "configmaps", "-n", "sensors", "--exit-code"}, hide: without("scan configmaps"), code: 1, says: "error: listing configmaps: "},
		"one of the types could not be read":      {args: []string{"list", "configmaps,services", "-n", "sensors", "--exit-code"}, hide: without("scan configmaps"), code: 4, says: "not everything could be read"},
		"that, and nobody asks":                   {args: []string{"list", "configmaps,services", "-n", "sensors"}, hide: without("scan configmaps"), says: "not everything could be read"},
		"the type could not be read, as names":    {args: []string{"list", "configmaps", "-n", "sensors", "--exit-code", "-o", "name"}, hide: without("scan configmaps"), code: 1, says: "error: listing configmaps: "},
		"it could not, and nobody asks":           {args: []string{"list", "configmaps", "-n", "sensors"}, hide: without("scan configmaps"), code: 1, says: "ask for that right"},
		"no type could be read":                   {args: []string{"list", "-n", "sensors"}, hide: without("scan "), code: 1, says: "error: you may not list any type in namespace sensors: "},
		"no type could be read, as a document":    {args: []string{"list", "-n", "sensors", "-o", "json"}, hide: without("scan "), code: 1, says: "error: you may not list any type in namespace sensors: "},
		"no type could be read, of two":           {args: []string{"list", "configmaps,services", "-n", "sensors"}, hide: without("scan "), code: 1, says: "error: none of 2 types could be listed, configmaps first: "},
		"an empty glob":                           {args: []string{"list", "--finalizer="}, code: 1, says: "error: reading --finalizer: it is empty"},
		"an empty finalizer to remove":            {args: []string{"force-remove", "pod/sensor-0", "--finalizer="}, code: 1, says: "error: reading --finalizer: it is empty"},
		"no name of a namespace":                  {args: []string{"list", "-n", "A B"}, code: 1, says: `error: "A B" cannot be the name of a namespace`},
		"no name of a namespace to explain in":    {args: []string{"explain", "pod/x", "-n", "../x"}, code: 1, says: `error: "../x" cannot be the name of a namespace`},
		"no name of a namespace to examine":       {args: []string{"health", "-n", "A B"}, code: 1, says: `error: "A B" cannot be the name of a namespace`},
		"no check":                                {args: []string{"health", "--check", ""}, code: 1, says: "error: --check names no check"},
		"a blank check":                           {args: []string{"health", "--check", ","}, code: 1, says: `error: --check: unknown check ""; choose from apiservices, `},
		"an unknown check":                        {args: []string{"health", "--check", "lists"}, code: 1, says: `error: --check: unknown check "lists"; choose from apiservices, `},
		"this one is stuck":                       {args: []string{"explain", "pod/sensor-0", "-n", "sensors", "--exit-code"}, code: 2},
		"this one is stuck, and nobody asks":      {args: []string{"explain", "pod/sensor-0", "-n", "sensors"}},
		"this one may not be read":                {args: []string{"explain", "pod/sensor-0", "-n", "sensors", "--exit-code"}, hide: without("metadata of pod"), code: 1, says: "error: "},
		"no such type":                            {args: []string{"list", "gizmos", "-n", "sensors", "--exit-code"}, code: 1, says: "error: the server doesn't have a resource type"},
		"no such format":                          {args: []string{"list", "-o", "xml"}, code: 1, says: "error: unknown output format"},
		"no such flag":                            {args: []string{"list", "--no-such-flag"}, code: 1, says: "error: unknown flag"},
		"no glob":                                 {args: []string{"list", "--finalizer", "["}, code: 1, says: "error: reading --finalizer"},
		"no selector":                             {args: []string{"list", "-l", "a in ("}, code: 1, says: "error: reading --selector"},
		"a time to come":                          {args: []string{"list", "--older-than=-1h"}, code: 1, says: "error: --older-than must not be negative"},
		"nothing to explain":                      {args: []string{"explain"}, code: 1, says: "error: explain takes objects: TYPE/NAME"},
		"nothing to wait for":                     {args: []string{"wait"}, code: 1, says: "error: wait takes objects: TYPE/NAME"},
		"another condition to wait for":           {args: []string{"wait", "pod/sensor-0", "--for=create"}, code: 1, says: `error: --for: unknown condition "create"`},
		"no such format of a wait":                {args: []string{"wait", "pod/sensor-0", "-o", "yaml"}, code: 1, says: `error: unknown output format "yaml"; it is one of: json, junit, github`},
		"a stall before the beginning":            {args: []string{"wait", "pod/sensor-0", "--stall=-1s"}, code: 1, says: "error: --stall must not be negative"},
		"what exists is waited for":               {args: []string{"wait", "pod/sensor-0", "-n", "sensors", "--timeout=0"}, code: 2, says: "error: timed out waiting for the condition on pods/sensor-0\n"},
		"what does not exist is not waited for":   {args: []string{"wait", "pod/none", "-n", "sensors", "--timeout=0"}, says: `pods "none" not found in namespace "sensors"`},
		"this one may not be read to wait for it": {args: []string{"wait", "pod/sensor-0", "-n", "sensors"}, hide: without("metadata of pod"), code: 1, says: "error: "},
		"a version, without a cluster to ask for": {args: []string{"version", "--client"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			code, out, errOut := run(t, story, test.hide, test.args...)
			if code != test.code || !strings.Contains(errOut, test.says) {
				t.Errorf("the code is %d, not %d, and it should say %q:\n%s%s", code, test.code, test.says, errOut, out)
			}
			if code == 1 && (out != "" || strings.Count(errOut, "\n") != 1) {
				t.Errorf("an error is one line on standard error:\n%s%s", errOut, out)
			}
		})
	}
}

// A name with a line break takes one line of -o name.
func TestNamesForgeNoLines(t *testing.T) {
	role := stuck.Object{Type: stuck.Type{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Kind: "Role"}, Name: "a\nnamespace/prod\tb"}
	var out bytes.Buffer
	if err := printNames(report.NewStuckList([]*stuck.Diagnosis{{Object: role}}, nil), &out); err != nil {
		t.Fatal(err)
	}
	if want := `role.rbac.authorization.k8s.io/a\u000anamespace/prod\u0009b` + "\n"; out.String() != want {
		t.Errorf("it prints %q, not %q", out.String(), want)
	}
}

func TestNearFinalizers(t *testing.T) {
	names := []string{"cns.vmware.com/pvc-protection", "foregroundDeletion", "kubernetes.io/pv-protection", "kubernetes.io/pvc-protection"}
	for pattern, want := range map[string]string{
		"pvc-protection":               "kubernetes.io/pvc-protection cns.vmware.com/pvc-protection kubernetes.io/pv-protection",
		"*pvc-protection":              "kubernetes.io/pvc-protection cns.vmware.com/pvc-protection kubernetes.io/pv-protection",
		"kubernetes.io/pvc-protectoin": "kubernetes.io/pvc-protection", //nolint:misspell // a typo is what is tested
		"kubernetes.io/pvc_protection": "kubernetes.io/pvc-protection kubernetes.io/pv-protection",
		"Foreground":                   "foregroundDeletion",
		"example.com/cleanup":          "",
		"p":                            "",
		"*":                            "",
		"abc":                          "",
	} {
		if got := strings.Join(nearFinalizers(pattern, names), " "); got != want {
			t.Errorf("near to %q is %q, not %q", pattern, got, want)
		}
	}
}
