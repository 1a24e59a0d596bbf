package dump_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// folderOf writes files, by their paths, into a folder.
func folderOf(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func open(t *testing.T, files map[string]string) *dump.Source {
	t.Helper()
	source, err := dump.Open(folderOf(t, files), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// gapsOf are the gaps of the discovery of a dump, a line each.
func gapsOf(t *testing.T, source *dump.Source) string {
	t.Helper()
	_, gaps, err := source.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, gap := range gaps {
		lines.WriteString(gap.Source + ": " + gap.Error + "\n")
	}
	return lines.String()
}

// TestPartOfAList holds that a list of which something may be missing proves no absence.
func TestPartOfAList(t *testing.T) {
	const (
		item = "- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web\n    namespace: shop\n    uid: p1\n"
		tail = "kind: PodList\nmetadata:\n  resourceVersion: \"901\"\n"
		head = "apiVersion: v1\nitems:\n"
	)
	for name, test := range map[string]struct {
		list           string
		absent, noItem bool
	}{
		"whole":                    {list: head + item + tail, absent: true},
		"empty":                    {list: "apiVersion: v1\nitems: []\n" + tail, absent: true, noItem: true},
		"a page":                   {list: head + item + tail + "  continue: abc\n"},
		"a page, counted":          {list: head + item + tail + "  remainingItemCount: 3\n"},
		"cut between lines":        {list: head + item},
		"metadata first, cut":      {list: "apiVersion: v1\n" + tail + "items:\n" + item},
		"cut within a line":        {list: head + strings.TrimSuffix(item, "1\n"), noItem: true},
		"cut within its metadata":  {list: head + item + "kind: PodList\nmetadata:\n"},
		"a selection":              {list: head + item + "kind: List\nmetadata:\n  resourceVersion: \"\"\n"},
		"of another namespace":     {list: head + strings.ReplaceAll(item, "shop", "bank") + tail, noItem: true},
		"of another type":          {list: head + strings.ReplaceAll(item, "Pod", "Service") + tail, noItem: true},
		"a redacted name":          {list: head + item + strings.ReplaceAll(item, "web", `"***HIDDEN***"`) + tail},
		"a redacted reference":     {list: head + item + "  spec: {volumes: [{name: a, persistentVolumeClaim: {claimName: '***HIDDEN***'}}]}\n" + tail},
		"a redacted value":         {list: head + item + "  spec: {containers: [{name: a, env: [{name: A, value: '***HIDDEN***'}]}]}\n" + tail, absent: true},
		"a list in it":             {list: head + item + "- {apiVersion: v1, kind: PodList, items: []}\n" + tail},
		"metadata only":            {list: head + strings.NewReplacer("v1", "meta.k8s.io/v1", "Pod", "PartialObjectMetadata").Replace(item) + tail, noItem: true},
		"two documents":            {list: head + item + tail + "---\n" + item[2:]},
		"an object cut in a line":  {list: strings.ReplaceAll(item[2:], "\n  ", "\n") + "spec:\n  nodeName: nod", noItem: true},
		"a list that no one wrote": {list: "null\n", noItem: true},
	} {
		t.Run(name, func(t *testing.T) {
			source := open(t, map[string]string{
				"namespaces/shop/shop.yaml":      "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
				"namespaces/shop/core/pods.yaml": test.list,
			})
			_, err := source.Metadata(t.Context(), cluster.PodType, "shop", "other")
			if cluster.IsObjectNotFound(err) != test.absent || err == nil {
				t.Errorf("another pod: %v", err)
			}
			if _, err := source.Metadata(t.Context(), cluster.PodType, "shop", "web"); (err == nil) == test.noItem {
				t.Errorf("the pod of the list: %v", err)
			}
		})
	}
}

// What a file lacks is said: an object, or the rest of a list.
func TestCutFilesAreGaps(t *testing.T) {
	const list = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web\n    namespace: shop\n"
	for text, want := range map[string]string{
		list:                                "it ends within a list, as a file that was not written to its end",
		list + "    uid: p":                 "it ends within a line, as a file that was not written to its end",
		list + "kind: List\nmetadata: {}\n": "",
	} {
		source := open(t, map[string]string{
			"namespaces/shop/shop.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n", "namespaces/shop/core/pods.yaml": text,
		})
		if gaps := gapsOf(t, source); strings.Contains(gaps, "namespaces/shop/core/pods.yaml") != (want != "") || !strings.Contains(gaps, want) {
			t.Errorf("%q: %q is not in\n%s", text, want, gaps)
		}
	}
}

// What kubectl get wrote may be of any selection, also where its files have the names of those of
// kubectl cluster-info dump.
func TestSelectionsProveNoAbsence(t *testing.T) {
	list := `{"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [` + pod + `]}`
	source := open(t, map[string]string{"nodes.json": `{"apiVersion": "v1", "kind": "List", "items": []}`, "shop/pods.json": list})
	for _, typ := range []stuck.Type{cluster.PodType, cluster.NodeType} {
		if _, err := source.Metadata(t.Context(), typ, "shop", "other"); err == nil || cluster.IsObjectNotFound(err) {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// TestTwoDumps holds that two dumps in one folder are not taken for one cluster.
func TestTwoDumps(t *testing.T) {
	namespace := "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	for name, files := range map[string]map[string]string{
		"must-gather":    {"must-gather.local.1/a/namespaces/shop/shop.yaml": namespace, "must-gather.local.2/a/namespaces/shop/shop.yaml": namespace},
		"crust-gather":   {"a/apis.json": "{}", "a/collected.timestamp": "", "b/apis.json": "{}", "b/collected.timestamp": ""},
		"support bundle": {"a/cluster-resources/nodes.json": "{}", "b/cluster-resources/nodes.json": "{}"},
		"snapshot":       {"a/kubectl-finalizers/snapshot.json": "{}", "b/kubectl-finalizers/snapshot.json": "{}"},
	} {
		if _, err := dump.Open(folderOf(t, files), nil, 0); err == nil || !strings.Contains(err.Error(), "it holds 2 dumps (") {
			t.Errorf("%s: %v", name, err)
		}
	}
	source := open(t, map[string]string{
		"must-gather.local.1/a/namespaces/shop/shop.yaml": namespace, "must-gather.local.1/b/namespaces/shop/core/pods.yaml": "items: []\n", "web.json": pod,
	})
	if _, err := source.Metadata(t.Context(), cluster.PodType, "shop", "web"); err == nil || cluster.IsObjectNotFound(err) {
		t.Errorf("a file beside the dump is of it: %v", err)
	}
	if gaps := gapsOf(t, source); !strings.Contains(gaps, "the files beside the dump: 1 not read: they may be of another cluster") {
		t.Errorf("a file is left out, and that is not said:\n%s", gaps)
	}
}

// Of two copies of an object the newer is read, whichever comes first. Two objects of one name are
// said to be two.
func TestCopies(t *testing.T) {
	copyOf := func(version, uid, label string) string {
		return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "web", "uid": "` + uid + `", "resourceVersion": "` + version +
			`", "creationTimestamp": "2026-08-20T09:00:00Z", "labels": {"is": "` + label + `"}}}`
	}
	for _, files := range []map[string]string{
		{"a.json": copyOf("99", "1", "old"), "b.json": copyOf("100", "1", "new")},
		{"a.json": copyOf("100", "1", "new"), "b.json": copyOf("99", "1", "old")},
	} {
		source := open(t, files)
		m, err := source.Metadata(t.Context(), cluster.PodType, "shop", "web")
		if err != nil || m.Labels["is"] != "new" || strings.Contains(gapsOf(t, source), "two objects") {
			t.Errorf("%v, %v\n%s", m, err, gapsOf(t, source))
		}
	}
	source := open(t, map[string]string{"a.json": copyOf("99", "1", "one"), "b.json": copyOf("100", "2", "other")})
	if gaps := gapsOf(t, source); !strings.Contains(gaps, "two objects are pod/web -n shop, with different uids: they may be of two clusters") {
		t.Errorf("two objects are taken for one:\n%s", gaps)
	}
}

// The time of a dump that says it is not moved by a clock that is years ahead.
func TestTimeOfDump(t *testing.T) {
	ahead := strings.ReplaceAll(pod, "2026-08-20", "9999-01-01")
	source := open(t, map[string]string{
		"apis.json": "{}", "api.json": "{}", "collected.timestamp": "2026-08-21 17:13:00 UTC", "namespaces/shop/v1/pod/web.yaml": ahead,
	})
	if year := source.Now().Year(); year != 2026 {
		t.Errorf("the dump is of %d", year)
	}
}

// A file that has the name of an object is no file about the dump.
func TestObjectNamedVersion(t *testing.T) {
	source := open(t, map[string]string{
		"apis.json": "{}", "api.json": "{}", "collected.timestamp": "", "version.yaml": "gitVersion: v1.37.1\n",
		"namespaces/shop/v1/pod/version.yaml": strings.ReplaceAll(pod, `"web"`, `"version"`),
	})
	if _, err := source.Metadata(t.Context(), cluster.PodType, "shop", "version"); err != nil {
		t.Error(err)
	}
	if version, err := source.Version(t.Context()); version != "v1.37.1" || err != nil {
		t.Errorf("%q, %v", version, err)
	}
}

// TestMemoryIsBounded holds that a small archive cannot fill the memory.
func TestMemoryIsBounded(t *testing.T) {
	finalizers := strings.Repeat(`"a.example.com/`+strings.Repeat("b", 1000)+`",`, 1000)
	large := strings.Replace(pod, `"name"`, `"finalizers": [`+strings.TrimSuffix(finalizers, ",")+`], "name"`, 1)
	for name, test := range map[string]struct{ content, want string }{
		"values":        {`{"kind": "Pod", "spec": [` + strings.Repeat("1,", 3<<20) + "1]}", "more than 2097152 values"},
		"values, YAML":  {"kind: Pod\nspec:\n" + strings.Repeat("- a\n", 3<<20), "more than 2097152 values"},
		"kept metadata": {strings.Repeat(large+"\n", 6), "more content than is kept in memory"},
	} {
		if _, err := dump.Open("-", bytes.NewReader([]byte(test.content)), 64<<20); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
