package cmd_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/hostile"
	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestHostileCompletion completes words beside hostile names of objects, namespaces, finalizers, types and contexts. What is
// offered stands on the command line as it is, where the next key may run it: only what is one plain word is offered.
func TestHostileCompletion(t *testing.T) {
	config := filepath.Join(emptyHome(t), "config")
	t.Setenv("KUBECONFIG", config)
	named := func(name string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name, "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []any{name}}}
	}
	for kind, affixes := range hostile.Kinds() {
		if kind == "length" {
			continue // long names are plain words
		}
		bad := affixes.Name("bad")
		writeContexts(t, config, "good", bad)
		source := (&recording.Recording{Answers: []recording.Answer{
			{Question: "scan namespaces", Objects: []map[string]any{named("good"), named(bad)}},
			{Question: "scan pods in default", Objects: []map[string]any{named("good"), named(bad)}},
			{Question: "scan pods", Objects: []map[string]any{named("good"), named(bad)}},
		}}).Source([]stuck.Type{
			{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true},
			{Version: "v1", Resource: "namespaces", Kind: "Namespace", Listable: true},
			{Version: "v1", Resource: bad, Kind: "Bad", Listable: true},
		})
		for line, want := range map[string]string{
			"list pods ": "good", "explain pod/": "pod/good", "force-remove pod/": "pod/good", "preflight pods ": "good", "wait pod/": "pod/good",
			"list -n ": "good", "list --context ": "good", "list --contexts ": "good", "list --cluster ": "good", "list --user ": "good",
			"list -A --finalizer ": "good kubernetes", "list ": "namespaces pods",
		} {
			var out, errOut bytes.Buffer
			if code := program(source, &out, &errOut).Run(t.Context(), append([]string{"__complete"}, strings.Split(line, " ")...)); code != 0 {
				t.Errorf("%s: %q ended with %d: %s", kind, line, code, errOut.String())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if got := lines[:len(lines)-1]; !slices.Equal(got, strings.Fields(want)) {
				t.Errorf("%s: of %q it offers %q", kind, line, got)
			}
		}
	}
}

// writeContexts writes a kubeconfig in which contexts, clusters and users have these names.
func writeContexts(t *testing.T, path string, names ...string) {
	t.Helper()
	var clusters, users, contexts []string
	for _, name := range names {
		name = strconv.QuoteToASCII(name) // as YAML quotes it too
		clusters = append(clusters, fmt.Sprintf(`{name: %s, cluster: {server: "https://127.0.0.1:1"}}`, name))
		users = append(users, fmt.Sprintf(`{name: %s, user: {}}`, name))
		contexts = append(contexts, fmt.Sprintf(`{name: %[1]s, context: {cluster: %[1]s, user: %[1]s}}`, name))
	}
	writeFile(t, path, fmt.Sprintf("{apiVersion: v1, kind: Config, clusters: [%s], users: [%s], contexts: [%s]}",
		strings.Join(clusters, ","), strings.Join(users, ","), strings.Join(contexts, ",")))
}
