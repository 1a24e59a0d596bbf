package cmd

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// machines are types of one name that two groups serve, and one that is called like a
// type of Kubernetes.
func machines() []stuck.Type {
	var types []stuck.Type
	for _, group := range []string{"cluster.x-k8s.io", "vm.example.com"} {
		types = append(types, stuck.Type{
			Group: group, Version: "v1", Resource: "machines", Kind: "Machine", SingularName: "machine", ShortNames: []string{"ma"}, Namespaced: true, Listable: true,
		})
	}
	return append(types,
		stuck.Type{Version: "v1", Resource: "services", Kind: "Service", SingularName: "service", Namespaced: true, Listable: true},
		stuck.Type{Group: "serving.example.com", Version: "v1", Resource: "services", Kind: "Service", SingularName: "service", Namespaced: true, Listable: true},
		stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace", SingularName: "namespace", ShortNames: []string{"ns"}, Listable: true},
	)
}

// machineRoom is a cluster of machines: of some names in one group, of some in both.
func machineRoom() *recording.Source {
	object := func(kind, name string) []map[string]any {
		return []map[string]any{{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "ci", "uid": kind + name, "finalizers": []any{"example.com/hold"}}}}
	}
	absent := func(name string) *metav1.Status {
		return &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: name + " not found"}
	}
	forbidden := &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "no"}
	r := &recording.Recording{Time: now}
	add := func(resource, name string, objects []map[string]any, status *metav1.Status) {
		r.Answers = append(r.Answers,
			recording.Answer{Question: "metadata of " + resource + "/" + name + " in ci", Objects: objects, Error: status},
			recording.Answer{Question: "scan " + resource + " in ci named " + name, Objects: objects})
	}
	const capi, vm, core, serving = "machines.cluster.x-k8s.io", "machines.vm.example.com", "services", "services.serving.example.com"
	add(capi, "build-1", nil, absent("build-1"))
	add(vm, "build-1", object("vm", "build-1"), nil)
	add(capi, "both", object("capi", "both"), nil)
	add(vm, "both", object("vm", "both"), nil)
	add(capi, "none", nil, absent("none"))
	add(vm, "none", nil, absent("none"))
	add(capi, "secret", nil, forbidden)
	add(vm, "secret", object("vm", "secret"), nil)
	add(core, "web", object("core", "web"), nil)
	add(core, "app", nil, absent("app"))
	add(serving, "app", object("serving", "app"), nil)
	r.Answers = append(r.Answers,
		recording.Answer{Question: "scan services in ci with labels app=shop", Objects: object("core", "web")},
		recording.Answer{Question: "scan services", Objects: object("core", "web")},
		recording.Answer{Question: "get namespaces/ci", Objects: []map[string]any{{"metadata": map[string]any{"name": "ci"}}}},
		recording.Answer{Question: "metadata of namespaces/ci", Objects: []map[string]any{{"metadata": map[string]any{"name": "ci"}}}})
	return r.Source(machines())
}

// A name that several groups serve is looked for in all of them.
func TestNamesThatSeveralGroupsServe(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	for line, test := range map[string]struct {
		code      int
		out, says string
	}{
		"explain machine/build-1":                 {out: "machine.vm.example.com/build-1 -n ci is not being deleted"},
		"explain ma build-1":                      {out: "machine.vm.example.com/build-1 -n ci is not being deleted"},
		"explain machine/both":                    {code: 1, says: `2 types of that name have an object "both"; write which one is meant: machines.cluster.x-k8s.io/both, machines.vm.example.com/both`},
		"explain machine.vm.example.com/both":     {out: "machine.vm.example.com/both -n ci is not being deleted"},
		"explain machine.vm.example.com/none":     {code: 1, says: `machines.vm.example.com "none" not found in namespace "ci": it may be gone already`},
		"explain machine/none":                    {code: 1, says: `machines.cluster.x-k8s.io, machines.vm.example.com "none" not found in namespace "ci": it may be gone already`},
		"explain machine/secret":                  {code: 1, says: `machine.vm.example.com/secret exists, but whether machine.cluster.x-k8s.io/secret does too could not be read (forbidden); write the full name: machines.vm.example.com/secret`},
		"explain service/web":                     {out: "service/web -n ci is not being deleted"},
		"explain service/app":                     {out: "service.serving.example.com/app -n ci is not being deleted"},
		"explain service.serving.example.com/app": {out: "service.serving.example.com/app -n ci is not being deleted"},
		"list machine/build-1 --all -o name":      {out: "machine.vm.example.com/build-1\n"},
		"list machine/both --all -o name":         {out: "machine.cluster.x-k8s.io/both\nmachine.vm.example.com/both\n"},
		"list machine/none":                       {code: 1, says: `machines.cluster.x-k8s.io, machines.vm.example.com "none" not found`},
		"list service/web --all -o name":          {out: "service/web\n"},
		"list service/app --all -o name":          {out: "service.serving.example.com/app\n"},
		"explain machine/..":                      {code: 1, says: `".." is not a name: it may not be '..'`},
		"explain machine ..":                      {code: 1, says: `".." is not a name: it may not be '..'`},
	} {
		t.Run(line, func(t *testing.T) {
			code, out, errOut := runOn(t, machineRoom(), append(strings.Fields(line), "-n", "ci")...)
			if code != test.code || !strings.Contains(out, test.out) || !strings.Contains(errOut, test.says) {
				t.Errorf("it ends with %d and says\n%s%s", code, errOut, out)
			}
			if code == 1 && (out != "" || strings.Count(errOut, "\n") != 1) {
				t.Errorf("an error is one line on standard error:\n%s%s", errOut, out)
			}
		})
	}
}
