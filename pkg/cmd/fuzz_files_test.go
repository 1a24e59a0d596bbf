package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// emptyHomeForAll is emptyHome for all inputs of a target.
func emptyHomeForAll(f *testing.F) (config string) {
	f.Helper()
	config = f.TempDir()
	f.Setenv("KUBECONFIG", filepath.Join(config, "none"))
	f.Setenv("HOME", config)
	f.Setenv("XDG_CONFIG_HOME", config)
	return config
}

// wantHarmless fails where an output would do harm to a terminal, and where a command failed without one line that says so.
func wantHarmless(t *testing.T, code int, out, errOut string) {
	t.Helper()
	for _, text := range []string{out, errOut} {
		if i := strings.IndexFunc(text, isHarmful); i >= 0 {
			t.Errorf("it prints %q", text[max(0, i-40):min(len(text), i+20)])
		}
	}
	if code == 1 && strings.Count("\n"+errOut, "\nerror: ") == 0 {
		t.Errorf("it ended with %d and said %q", code, errOut)
	}
}

// FuzzFrom lists and explains what standard input holds, which anybody may have written, with a flag of any value.
func FuzzFrom(f *testing.F) {
	content, err := os.ReadFile("../../testdata/dumps/objects/dump/objects.json")
	if err != nil {
		f.Fatal(err)
	}
	flags := []string{"--from-limit", "--selector", "--field-selector", "--finalizer", "--sort-by", "--older-than", "--namespace", "--by"}
	for i, value := range []string{"8Gi", "app in (shop),!x", "metadata.name!=a", "*/hold", "{.metadata.name}", "1d12h", "shop", "cause"} {
		f.Add(content, uint8(i), value)
	}
	f.Add([]byte("kind: Pod\napiVersion: v1\nmetadata: {name: \"a\\e[2J\", namespace: shop, uid: u, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [\"x\\r/y\"]}\n"), uint8(3), "[a-z]*")
	f.Add([]byte("kind: Namespace\napiVersion: v1\nmetadata: {name: shop, deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {conditions: [{type: \"\\u202e\", status: 'True', message: \"a\\nb\"}]}\n"), uint8(0), "-1")
	emptyHomeForAll(f)
	f.Fuzz(func(t *testing.T, content []byte, n uint8, value string) {
		out, errOut, code := runFrom(t, string(content), "list", "--all", "--from=-", flags[int(n)%len(flags)]+"="+value)
		wantHarmless(t, code, out, errOut)
		out, errOut, code = runFrom(t, string(content), "explain", "--from=-", "namespace/shop", "--from-limit=64Mi")
		wantHarmless(t, code, out, errOut)
	})
}

// FuzzManifests explains the objects that a manifest names, which may be anything: what is wrong with it is said of it.
func FuzzManifests(f *testing.F) {
	for _, manifest := range []string{
		"apiVersion: v1\nkind: Pod\nmetadata: {name: web-0, namespace: shop}\n", `{"kind": "List", "apiVersion": "v1", "items": [{"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "shop"}}]}`,
		"kind: Widget\napiVersion: example.com/v1\nmetadata: {name: ..}\n", "a: &a [*a]\n", "---\n---\n", "\x00", "kind: Pod\n", "{}",
	} {
		f.Add(manifest)
	}
	emptyHomeForAll(f)
	f.Fuzz(func(t *testing.T, manifest string) {
		out, errOut, code := runFrom(t, manifest, "explain", "--ignore-not-found", "--from=../../testdata/dumps/objects/dump", "-n=shop", "-f=-")
		wantHarmless(t, code, out, errOut)
	})
}

// FuzzCatalogFile passes a file of one's own to a command: what is wrong with it is said in one line that names the file, and what
// is printed of it does no harm.
func FuzzCatalogFile(f *testing.F) {
	const own = "area: ours\nproject: Widget Operator\ncomponents:\n- name: operator\n  namespaces: [widgets]\n  workloads: [deployment/widget-operator]\nfinalizers:\n" +
		"- finalizer: acme.dev/cleanup\n  types: [Widget.shop.acme.dev]\n  waitsFor: deletes the widget\n  leak: ExternalResources\n  leaves: \"the \\e widget\"\n" +
		"  steps:\n  - {action: check, description: ask, command: \"kubectl -n {namespace} describe widget {name} | \\r\"}\n  source:\n  - {repository: acme/widgets, path: main.go}\n"
	for _, content := range []string{own, strings.ReplaceAll(own, "cleanup", `"\u202e"`), "area: [", "", "---\n", "a: &a [*a]\n", own + "---\n" + own, "area: \"\\r\\n\"\nx: y\n"} {
		f.Add([]byte(content), "acme.dev/cleanup")
	}
	file := filepath.Join(emptyHomeForAll(f), "own.yaml")
	f.Fuzz(func(t *testing.T, content []byte, name string) {
		if strings.HasPrefix(name, "-") || name == "" { // a flag
			return
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{name}, {"--search", name}} {
			out, errOut, code := runFrom(t, "", append([]string{"catalog", "--catalog", file}, args...)...)
			wantHarmless(t, code, out, errOut)
			isFaulty := strings.HasPrefix(errOut, "error: reading a catalog file: ")
			if isFaulty && (!strings.Contains(errOut, file) || len(errOut) > 4000) || code == 1 && (out != "" || strings.Count(errOut, "\n") != 1) {
				t.Errorf("it ended with %d and said\n%s%s", code, errOut, out)
			}
		}
	})
}
