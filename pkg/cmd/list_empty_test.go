package cmd

import (
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// shop is a namespace that is being deleted, with a claim that nobody has deleted, in a
// cluster without a namespace shopp.
func shop() *recording.Source {
	deleted := map[string]any{"name": "shop", "uid": "shop", "deletionTimestamp": "2026-03-01T02:00:00Z"}
	claim := map[string]any{"name": "data", "namespace": "shop", "uid": "data", "finalizers": []any{"kubernetes.io/pvc-protection", "acme.example.com/db"}}
	absent := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: "namespaces not found"}
	r := &recording.Recording{Time: now, Scanned: []string{"shopp"}, Answers: []recording.Answer{
		{Question: "metadata of namespaces/shop", Objects: []map[string]any{{"metadata": deleted}}},
		{Question: "get namespaces/shop", Objects: []map[string]any{{"metadata": deleted}}},
		{Question: "metadata of namespaces/shopp", Error: &absent},
		{Question: "get namespaces/shopp", Error: &absent},
		{Question: "scan pods in shop"},
		{Question: "scan persistentvolumeclaims in shop", Objects: []map[string]any{{"metadata": claim}}},
		{Question: "scan pods"},
		{Question: "scan persistentvolumeclaims", Objects: []map[string]any{{"metadata": claim}}},
		{Question: "scan namespaces", Objects: []map[string]any{{"metadata": deleted}}},
	}}
	return r.Source([]stuck.Type{
		{Version: "v1", Resource: "pods", Kind: "Pod", SingularName: "pod", Categories: []string{"all"}, Namespaced: true, Listable: true},
		{Version: "v1", Resource: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", ShortNames: []string{"pvc"}, Namespaced: true, Listable: true},
		{Version: "v1", Resource: "namespaces", Kind: "Namespace", ShortNames: []string{"ns"}, Listable: true},
	})
}

// What finds nothing says what it has looked at, and what it has not.
func TestNothingFound(t *testing.T) {
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	const terminating = "namespace/shop itself is Terminating: kubectl finalizers explain ns/shop\n"
	for line, test := range map[string]struct {
		code int
		says string
	}{
		"list pods -n shop":                                                   {0, "No matching stuck objects found in namespace shop.\n" + terminating},
		"list all -n shop":                                                    {0, "No matching stuck objects found in namespace shop.\n\"all\" is a category of a few types, as in kubectl get: leave it out to list every type.\n" + terminating},
		"list pods -A":                                                        {0, "No matching stuck objects found in the cluster.\n"},
		"list -n shopp":                                                       {1, "error: namespace \"shopp\" not found: check -n and --context\n"},
		"list pods -n shopp":                                                  {1, "error: namespace \"shopp\" not found: check -n and --context\n"},
		"list -n shopp -o json --exit-code":                                   {1, "error: namespace \"shopp\" not found: check -n and --context\n"},
		"list pods/x -n shopp":                                                {1, "error: pods \"x\" not found in namespace \"shopp\", which does not exist either; check -n and --context\n"},
		"list pvc -A --finalizer pvc-protection":                              {1, "error: reading --finalizer: no finalizer in the cluster matches \"pvc-protection\", which must match the full name; did you mean kubernetes.io/pvc-protection?\n"},
		"list pvc -A --finalizer acme.example.com/dc":                         {1, "error: reading --finalizer: no finalizer in the cluster matches \"acme.example.com/dc\", which must match the full name; did you mean acme.example.com/db?\n"},
		"list pods -n shop --finalizer foregroundDeletoin":                    {1, "error: reading --finalizer: no finalizer in namespace shop matches \"foregroundDeletoin\", which must match the full name; did you mean foregroundDeletion?\n"},
		"list pvc -A --finalizer kubernetes.io/*":                             {0, "No matching stuck objects found in the cluster.\n"},
		"list pods -A --finalizer kubernetes.io/pvc-protection":               {0, "No object in the cluster has a finalizer that matches \"kubernetes.io/pvc-protection\".\n"},
		"list pvc -A --finalizer ours.example.org/cleanup --exit-code":        {0, "No object in the cluster has a finalizer that matches \"ours.example.org/cleanup\".\n"},
		"list pvc -A --finalizer ours.example.org/cleanup --exit-code -oyaml": {0, ""},
	} {
		t.Run(line, func(t *testing.T) {
			code, out, errOut := runOn(t, shop(), strings.Fields(line)...)
			if code != test.code || errOut != test.says {
				t.Errorf("it ends with %d, not %d, and says\n%s%s\nnot\n%s", code, test.code, errOut, out, test.says)
			}
		})
	}
}
