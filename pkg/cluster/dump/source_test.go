package dump_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/dump"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// readAll reads every object of a dump in every way, and returns the names of the objects.
func readAll(t *testing.T, source *dump.Source, types []stuck.Type) []string {
	t.Helper()
	var names []string
	for _, typ := range types {
		_ = source.Scan(t.Context(), typ, cluster.Selection{}, func(o stuck.Object) { // a dump is never whole
			if m, err := source.Metadata(t.Context(), typ, o.Namespace, o.Name); err != nil || m.Name != o.Name {
				t.Errorf("%s: %v", o.Ref(), err)
			}
			if u, err := source.Get(t.Context(), typ, o.Namespace, o.Name); err == nil == typ.IsSecret() || err == nil && u.GetKind() == "" {
				t.Errorf("%s: %v, %v", o.Ref(), u, err)
			}
			names = append(names, o.RefInNamespace())
		})
	}
	return names
}

// What does not change the objects does not change what is read of them: their format, what they
// are in, and how they are indented.
func TestFormats(t *testing.T) {
	const (
		kindless = `{"metadata": {"namespace": "shop", "name": "web"}}`
		block    = "metadata:\n    namespace: shop\n    name: web"
	)
	for name, content := range map[string][]byte{
		"object":            []byte(pod),
		"byte order mark":   []byte("\xef\xbb\xbf" + pod),
		"list":              []byte(`{"kind": "List", "apiVersion": "v1", "items": [` + pod + `]}`),
		"array":             []byte("[" + pod + "]"),
		"kind behind items": []byte(`{"items": [` + kindless + `], "kind": "PodList", "apiVersion": "v1"}`),
		"YAML":              []byte("apiVersion: v1\nkind: Pod\n" + strings.ReplaceAll(block, "    ", "  ") + "\n"),
		"YAML list":         []byte("apiVersion: v1\nitems:\n- " + strings.ReplaceAll(block, "\n", "\n  ") + "\nkind: PodList\n"),
		"indented list":     []byte("apiVersion: v1\nkind: PodList\nitems:\n  - " + strings.ReplaceAll(block, "\n", "\n    ") + "\n"),
		"two documents":     []byte("---\napiVersion: v1\nkind: Status\n---\n" + pod + "\n"),
		"tar":               tarOf(t, file{name: "x/a.json", content: pod}, file{name: "x/b.log", content: "not JSON"}),
		"tar.gz":            gzipped(t, tarOf(t, file{name: "./a.yaml", content: pod})),
		"object, gzipped":   gzipped(t, []byte(pod)),
	} {
		source, err := dump.Open("-", bytes.NewReader(content), 0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		types, _, err := source.Types(t.Context())
		if got := readAll(t, source, types); err != nil || !slices.Equal(got, []string{"pod/web -n shop"}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// Absence is known only of a list that a dump shows to be whole.
func TestAbsence(t *testing.T) {
	const notHeld = "not in this dump"
	type question struct {
		typ                   stuck.Type
		namespace, name, want string
	}
	for dir, answers := range map[string][]question{
		"objects":      {{cluster.PodType, "shop", "other", notHeld}, {cluster.NamespaceType, "", "other", notHeld}},
		"crust-gather": {{cluster.PodType, "shop", "other", notHeld}, {cluster.NodeType, "", "other", notHeld}, {cluster.NamespaceType, "", "other", notHeld}},
		"cluster-info": {
			{cluster.PodType, "shop", "other", "absent"},
			{cluster.PodType, "bank", "other", notHeld},
			{cluster.NodeType, "", "other", "absent"},
			{cluster.DeploymentType, "shop", "other", "absent"},
			{cluster.NamespaceType, "", "other", notHeld},
		},
		"must-gather": {
			{cluster.PodType, "shop", "other", "absent"},
			{cluster.PodType, "bank", "other", notHeld},
			{cluster.NodeType, "", "other", notHeld},
			{cluster.SecretType, "shop", "other", "absent"},
			{cluster.NamespaceType, "", "other", notHeld},
			{cluster.JobType, "shop", "other", notHeld},
		},
		"support-bundle": {
			{cluster.PodType, "shop", "other", "absent"},
			{cluster.NamespaceType, "", "other", "absent"},
			{cluster.SecretType, "shop", "other", notHeld},
			{cluster.LeaseType, "default", "other", "leases.coordination.k8s.io is forbidden"},
			{cluster.PodType, "shop", "***HIDDEN***", "its name is redacted in this dump"},
		},
		"sonobuoy": {
			{cluster.PodType, "shop", "other", "absent"}, {cluster.NamespaceType, "", "other", "absent"}, {cluster.DeploymentType, "shop", "other", notHeld},
		},
	} {
		source, err := dump.Open(filepath.Join("../../../testdata/dumps", dir, "dump"), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range answers {
			_, err := source.Metadata(t.Context(), q.typ, q.namespace, q.name)
			got := "found"
			switch {
			case cluster.IsObjectNotFound(err):
				got = "absent"
			case err != nil:
				got = err.Error()
			}
			if got != q.want {
				t.Errorf("%s: %s/%s in %q is %s, want %s", dir, q.typ, q.name, q.namespace, got, q.want)
			}
			if q.typ.IsSecret() {
				continue
			}
			listed := source.List(t.Context(), q.typ, cluster.Selection{Namespace: q.namespace}, func(unstructured.Unstructured) {})
			if whole := q.want == "absent" || strings.Contains(q.want, "redacted"); (listed == nil) != whole {
				t.Errorf("%s: the list of %s in %q: %v", dir, q.typ, q.namespace, listed)
			}
		}
	}
}
