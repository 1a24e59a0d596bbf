package cmd_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/snapshot"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// held is what a recording holds of a type in a namespace.
type held struct {
	typ       stuck.Type
	namespace string
	objects   []map[string]any
	whole     bool
}

// TestDumpsClaimNoMore strips every story to what the dump of each tool holds of it, and holds that
// explain then says the same, or that it does not know: never another verdict.
func TestDumpsClaimNoMore(t *testing.T) {
	emptyHome(t)
	stories, err := recording.AllScenarios("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	counts := map[string]map[string][]string{}
	t.Cleanup(func() {
		for _, kind := range slices.Sorted(maps.Keys(counts)) {
			for _, outcome := range slices.Sorted(maps.Keys(counts[kind])) {
				names := counts[kind][outcome]
				slices.Sort(names)
				t.Logf("%s: %s: %d: %s", kind, outcome, len(names), strings.Join(names, " "))
			}
		}
	})
	kinds := slices.Sorted(maps.Keys(dumpLayouts))
	for i, story := range stories {
		t.Run(story.Name, func(t *testing.T) {
			t.Parallel()
			content, api := contentOf(t, story)
			want := verdictIn(readFile(t, filepath.Join(story.Dir, "explain.json")))
			for j, kind := range kinds {
				if !*allDumps && j != i%len(kinds) {
					continue
				}
				layout, root := dumpLayouts[kind], t.TempDir()
				for name, value := range layout(content) {
					writeFile(t, filepath.Join(root, name), value)
				}
				for name, value := range api {
					if kind == "crust-gather" {
						writeFile(t, filepath.Join(root, name), value)
					}
					if kind == "must-gather" && strings.HasPrefix(name, "api") {
						writeFile(t, filepath.Join(root, "aggregated-discovery-"+strings.TrimSuffix(name, ".json")+".yaml"), value)
					}
				}
				got := "not in the dump"
				out, errOut, code := runFrom(t, "", append(append([]string{"explain"}, withoutUser(story.Explain)...), "-o", "json", "--from", root)...)
				if code == 0 {
					got = verdictIn(out)
				} else if !strings.Contains(errOut, "not in this dump") && !strings.Contains(errOut, "doesn't have a resource type") && !strings.Contains(errOut, "it has no objects") {
					t.Errorf("%s: %s", kind, errOut)
				}
				if got != want && got != string(stuck.Unknown) && got != "not in the dump" {
					t.Errorf("%s: the verdict is %s, and was %s:\n%s", kind, got, want, out)
				}
				mu.Lock()
				if counts[kind] == nil {
					counts[kind] = map[string][]string{}
				}
				outcome := map[string]string{want: "same verdict"}[got]
				if outcome == "" {
					outcome = got
				}
				counts[kind][outcome] = append(counts[kind][outcome], story.Name)
				mu.Unlock()
			}
		})
	}
}

// allDumps takes minutes.
var allDumps = flag.Bool("all-dumps", false, "strip every story to every kind of dump, not only to one")

// withoutUser are arguments without the user that asks, which a dump has not.
func withoutUser(args []string) []string {
	if i := slices.Index(args, "--as"); i >= 0 {
		return slices.Delete(slices.Clone(args), i, i+2)
	}
	return args
}

// verdictIn is the verdict of an explanation's target.
func verdictIn(document string) string {
	var d struct {
		Target struct {
			Verdict   string
			Diagnosis struct{ Verdict string }
		}
		Items []struct {
			Verdict   string
			Diagnosis struct{ Verdict string }
		}
	}
	if json.Unmarshal([]byte(document), &d) != nil {
		return "no document"
	}
	verdicts := []string{d.Target.Verdict + d.Target.Diagnosis.Verdict}
	for _, item := range d.Items {
		verdicts = append(verdicts, item.Verdict+item.Diagnosis.Verdict)
	}
	return strings.Trim(strings.Join(slices.Compact(verdicts), " "), " ")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func writeFile(t *testing.T, name string, value any) {
	t.Helper()
	content, err := json.Marshal(value)
	if text, ok := value.(string); ok {
		content = []byte(text)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = os.WriteFile(name, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// contentOf is what a story's recording holds, by type and namespace, and the documents of a
// crust-gather dump that have no objects.
func contentOf(t *testing.T, story recording.Scenario) (all []held, documents map[string]any) {
	t.Helper()
	source, err := story.Source()
	if err != nil {
		t.Fatal(err)
	}
	recorder := snapshot.NewRecorder(withManagers{source})
	runLines(t, recorder, story.GoldenFiles()["screen.txt"])
	var b bytes.Buffer
	if _, err := recorder.Write(&b, "snapshot", snapshot.Options{}); err != nil {
		t.Fatal(err)
	}
	from, err := dump.Open("-", &b, 0)
	if err != nil {
		t.Fatal(err)
	}
	types, _, _ := from.Types(t.Context())
	scanned := scannedNamespaces(t, story)
	for _, typ := range types {
		byNamespace := map[string]*held{}
		_ = from.Scan(t.Context(), typ, cluster.Selection{}, func(o stuck.Object) { // some were not scanned everywhere
			if byNamespace[o.Namespace] == nil {
				byNamespace[o.Namespace] = &held{typ: typ, namespace: o.Namespace}
			}
			object := map[string]any{}
			if u, err := from.Get(t.Context(), typ, o.Namespace, o.Name); err == nil {
				object = u.Object
			} else {
				object["apiVersion"], object["kind"] = typ.GVK().GroupVersion().String(), typ.Kind
				object["metadata"] = map[string]any{
					"namespace": o.Namespace, "name": o.Name, "uid": string(o.UID), "creationTimestamp": o.CreationTime, "finalizers": o.Finalizers,
				}
				if o.Deleting() {
					object["metadata"].(map[string]any)["deletionTimestamp"] = o.DeletionTime
				}
			}
			h := byNamespace[o.Namespace]
			h.objects = append(h.objects, object)
		})
		namespaces := slices.Concat(slices.Collect(maps.Keys(byNamespace)), scanned)
		slices.Sort(namespaces)
		for _, namespace := range slices.Compact(namespaces) {
			h := byNamespace[namespace]
			if h == nil {
				h = &held{typ: typ, namespace: namespace}
				byNamespace[namespace] = h
			}
			if typ.Namespaced == (namespace == "") {
				continue
			}
			h.whole = from.Scan(t.Context(), typ, cluster.Selection{Namespace: namespace}, func(stuck.Object) {}) == nil
			all = append(all, *h)
		}
	}
	version, _ := source.Version(t.Context())
	return all, map[string]any{
		"version.yaml": map[string]string{"gitVersion": version}, "collected.timestamp": source.Now().Format(`"2006-01-02 15:04:05.999999999 UTC"`),
		"api.json": discoveryDocument(types, true), "apis.json": discoveryDocument(types, false),
	}
}

// scannedNamespaces are those in which a story's recording has every type.
func scannedNamespaces(t *testing.T, story recording.Scenario) []string {
	t.Helper()
	r, err := recording.Load(story.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return r.Scanned
}

func discoveryDocument(types []stuck.Type, core bool) any {
	groups := []any{}
	for _, typ := range types {
		if (typ.Group == "") != core {
			continue
		}
		scope, verbs := "Cluster", []string{"get"}
		if typ.Namespaced {
			scope = "Namespaced"
		}
		if typ.Listable {
			verbs = append(verbs, "list")
		}
		if typ.Listable && !typ.Undeletable {
			verbs = append(verbs, "delete")
		}
		freshness := "Current"
		if typ.Stale {
			freshness = "Stale"
		}
		groups = append(groups, map[string]any{"metadata": map[string]string{"name": typ.Group}, "versions": []any{map[string]any{
			"version": typ.Version, "freshness": freshness, "resources": []any{map[string]any{
				"resource": typ.Resource, "singularResource": typ.SingularName, "shortNames": typ.ShortNames, "scope": scope, "verbs": verbs,
				"responseKind": map[string]string{"group": typ.Group, "version": typ.Version, "kind": typ.Kind},
			}},
		}}})
	}
	return map[string]any{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": groups}
}
