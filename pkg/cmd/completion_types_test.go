package cmd_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Words are offered as kubectl get offers them; where an object is to be explained or
// freed, only those that are being deleted.
func TestCompletionOffersTypesAndNames(t *testing.T) {
	emptyHome(t)
	named := func(names ...string) []map[string]any {
		var out []map[string]any
		for _, name := range names {
			// A plus marks what is being deleted.
			metadata := map[string]any{"name": strings.TrimPrefix(name, "+")}
			if strings.HasPrefix(name, "+") {
				metadata["deletionTimestamp"] = "2026-03-01T03:00:00Z"
			}
			out = append(out, map[string]any{"metadata": metadata})
		}
		return out
	}
	source := (&recording.Recording{Answers: []recording.Answer{
		{Question: "scan namespaces", Objects: named("+shop", "shoes", "+showroom", "default", "kube-system")},
		{Question: "scan pods in shop", Objects: named("+web-1", "+web-0", "db", "$(id)", "+web;id", "+web-\n", "+--all")},
		{Question: "scan pods", Objects: named("web-0", "web-0", "elsewhere")},
	}}).Source([]stuck.Type{
		{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true, ShortNames: []string{"po"}},
		{Version: "v1", Resource: "namespaces", Kind: "Namespace", Listable: true, ShortNames: []string{"ns"}},
		{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Kind: "PodDisruptionBudget", Namespaced: true, Listable: true},
	})
	for line, want := range map[string]string{
		"list po":                         "poddisruptionbudgets.policy pods :4",
		"list pods,name":                  "pods,namespaces :4",
		"list -n shop pods ":              "db web-0 web-1 :4",
		"list -n shop po web":             "web-0 web-1 :4",
		"list -n shop pods db web-1 w":    "web-0 :4",
		"list -A pods ":                   "elsewhere web-0 :4",
		"explain -n shop pod/w":           "pod/web-0 pod/web-1 :4",
		"explain -n shop pod/web-0 pod/w": "pod/web-1 :4",
		"explain pod/web-0 name":          "namespaces/ :6",
		"explain -n shop pod/":            "pod/web-0 pod/web-1 :4",
		"explain -n shop pod ":            "web-0 web-1 :4",
		"force-remove namespace/sho":      "namespace/shop namespace/showroom :4",
		"force-remove ns/":                "ns/shop ns/showroom :4",
		"force-remove ns ":                "shop showroom :4",
		"list -n sh":                      "shoes shop showroom :4",
		"list gadgets ":                   ":4",
		"list poddisruptionbudgets ":      ":4",
	} {
		t.Run(line, func(t *testing.T) {
			var out, errOut bytes.Buffer
			args := append([]string{"__complete"}, strings.Split(line, " ")...)
			if code := program(source, &out, &errOut).Run(t.Context(), args); code != 0 {
				t.Errorf("it ended with %d: %s", code, errOut.String())
			}
			if got := strings.Join(strings.Fields(out.String()), " "); got != want {
				t.Errorf("offered are %q, not %q", got, want)
			}
		})
	}
}

// Finalizers come from the objects that the command is about, and from the catalog where none of theirs begins with the word.
func TestCompletionOffersFinalizers(t *testing.T) {
	emptyHome(t)
	having := func(name string, finalizers ...string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name, "finalizers": finalizers}}
	}
	source := (&recording.Recording{Answers: []recording.Answer{
		{Question: "scan namespaces", Objects: []map[string]any{having("shop")}},
		{Question: "scan namespaces named shop", Objects: []map[string]any{having("shop")}},
		{Question: "scan pods", Objects: []map[string]any{having("web", "example.com/a", "example.org/b"), having("db", "example.com/a", "example.com/$(id)", "-x/y")}},
		{Question: "scan pods in shop", Objects: []map[string]any{having("web", "example.com/a")}},
		{Question: "scan pods in shop named web", Objects: []map[string]any{having("web", "example.com/a")}},
	}}).Source([]stuck.Type{
		{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true, ShortNames: []string{"po"}},
		{Version: "v1", Resource: "namespaces", Kind: "Namespace", Listable: true, ShortNames: []string{"ns"}},
	})
	for line, want := range map[string]string{
		"list -A --finalizer ":                                 "example.com/a example.org/b kubernetes :4",
		"list -A --finalizer example.com":                      "example.com/a :4",
		"list -A pods --finalizer ":                            "example.com/a example.org/b :4",
		"list -n shop --finalizer exam":                        "example.com/a :4",
		"list -n shop --finalizer kubernetes.io/pvc-pro":       "kubernetes.io/pvc-protection :4",
		"list --from dump.tar --finalizer kubernetes.io/pvc-p": "kubernetes.io/pvc-protection :4",
		"list gadgets --finalizer kubernetes.io/pvc-pro":       "kubernetes.io/pvc-protection :4",
		"force-remove -n shop pod/web --finalizer ":            "example.com/a :4",
		"force-remove ns/shop --finalizer ":                    "example.com/a kubernetes :4",
		"force-remove --finalizer kube":                        ":4",
	} {
		t.Run(line, func(t *testing.T) {
			var out, errOut bytes.Buffer
			if code := program(source, &out, &errOut).Run(t.Context(), append([]string{"__complete"}, strings.Split(line, " ")...)); code != 0 {
				t.Errorf("it ended with %d: %s", code, errOut.String())
			}
			if got := strings.Join(strings.Fields(out.String()), " "); got != want {
				t.Errorf("offered are %q, not %q", got, want)
			}
		})
	}
}
