package removal

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// configMapAPI serves one ConfigMap.
type configMapAPI struct {
	mu      sync.Mutex
	data    map[string]string // nil if it does not exist
	binary  map[string]any
	changes []string // one for each write to come: changed, lost or forbidden
	writes  []string
}

func (a *configMapAPI) version() string { return strings.Repeat("1", 1+len(a.data)) }

func (a *configMapAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Method == http.MethodGet && a.data == nil {
		fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)(w, r)
		return
	}
	if r.Method != http.MethodGet {
		change := ""
		if len(a.changes) > 0 {
			change, a.changes = a.changes[0], a.changes[1:]
		}
		a.writes = append(a.writes, r.Method)
		switch change {
		case "changed":
			a.data["left-other.json"] = "{}"
		case "forbidden":
			fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)(w, r)
			return
		}
		if !a.write(r) {
			fakeapi.RespondStatus(http.StatusConflict, metav1.StatusReasonConflict)(w, r)
			return
		}
		if change == "lost" {
			panic(http.ErrAbortHandler)
		}
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": a.data, "binaryData": a.binary}}
	u.SetName("state")
	u.SetNamespace("ci")
	u.SetUID("1")
	u.SetResourceVersion(a.version())
	fakeapi.RespondJSON(u)(w, r)
}

// write does what a request asks for, and reports whether it fits the state of the ConfigMap.
func (a *configMapAPI) write(r *http.Request) bool {
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(r.URL.RawQuery, "dryRun") {
		return true
	}
	if r.Method == http.MethodPost {
		var created struct{ Data map[string]string }
		fits := a.data == nil && json.Unmarshal(body, &created) == nil
		a.data = created.Data
		return fits
	}
	var patch []cluster.PatchOperation
	if json.Unmarshal(body, &patch) != nil || patch[0].Value != "1" || patch[1].Value != a.version() {
		return false
	}
	for _, operation := range patch[2:] {
		key := strings.TrimPrefix(operation.Path, "/data/")
		switch value := operation.Value.(type) {
		case nil:
			delete(a.data, key)
		case string:
			a.data[key] = value
		case map[string]any:
			for key, each := range value {
				a.data[key] = each.(string)
			}
		}
	}
	return true
}

// A ConfigMap is written as it was read, with an answer or without one, and what else is in it stays.
func TestConfigMapUpdate(t *testing.T) {
	t.Parallel()
	const mine, others = "left-mine.json", "left-other.json"
	for name, test := range map[string]struct {
		data    map[string]string
		changes []string
		dryRun  bool
		want    map[string]string
		writes  string
		err     string
	}{
		"absent":            {nil, nil, false, map[string]string{mine: "new"}, "POST", ""},
		"absent, dry run":   {nil, nil, true, nil, "POST", ""},
		"empty":             {map[string]string{}, nil, false, map[string]string{mine: "new"}, "PATCH", ""},
		"as it should be":   {map[string]string{mine: "new"}, nil, false, map[string]string{mine: "new"}, "", ""},
		"with another":      {map[string]string{mine: "old", others: "{}"}, nil, false, map[string]string{mine: "new", others: "{}"}, "PATCH", ""},
		"one to remove":     {map[string]string{"left-old.json": "x"}, nil, false, map[string]string{mine: "new"}, "PATCH", ""},
		"changed meanwhile": {map[string]string{mine: "old"}, []string{"changed"}, false, map[string]string{mine: "new", others: "{}"}, "PATCH PATCH", ""},
		"answer lost":       {map[string]string{mine: "old"}, []string{"lost"}, false, map[string]string{mine: "new"}, "PATCH", ""},
		"creation lost":     {nil, []string{"lost"}, false, map[string]string{mine: "new"}, "POST", ""},
		"forbidden":         {map[string]string{mine: "old"}, []string{"forbidden"}, false, map[string]string{mine: "old"}, "PATCH", "writing configmap/state -n ci: the API server rejected the write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := &configMapAPI{data: maps.Clone(test.data), changes: test.changes}
			const path = "/api/v1/namespaces/ci/configmaps"
			server, w := startAPI(t, fakeapi.Responses{path: api.ServeHTTP, path + "/state": api.ServeHTTP})
			dir := t.TempDir()
			audit, err := OpenAudit(dir)
			if err != nil {
				t.Fatal(err)
			}
			audit.Now = func() time.Time { return fakeapi.Now }
			c := ConfigMap{Name: types.NamespacedName{Namespace: "ci", Name: "state"}, Source: server.Server, Writer: w, Audit: audit}
			err = c.Update(t.Context(), func(map[string]string) (map[string]string, error) {
				return map[string]string{mine: "new", "left-old.json": ""}, nil
			}, test.dryRun)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("%v", err)
			}
			content, _ := os.ReadFile(filepath.Join(dir, AuditFile))
			lines := 2 * len(api.writes)
			if test.dryRun {
				lines = 0
			}
			if got := strings.Join(api.writes, " "); got != test.writes || !maps.Equal(api.data, test.want) || strings.Count(string(content), "\n") != lines {
				t.Errorf("it sent %s, which left %v and %s", got, api.data, content)
			}
		})
	}
}

// A ConfigMap in which somebody keeps files is not one for what a program counts, even where its texts would fit.
func TestConfigMapOfFiles(t *testing.T) {
	t.Parallel()
	api := &configMapAPI{data: map[string]string{}, binary: map[string]any{"logo.png": "iVBORw0KGgo="}}
	server, w := startAPI(t, fakeapi.Responses{"/api/v1/namespaces/ci/configmaps/state": api.ServeHTTP})
	c := ConfigMap{Name: types.NamespacedName{Namespace: "ci", Name: "state"}, Source: server.Server, Writer: w}
	err := c.Update(t.Context(), func(map[string]string) (map[string]string, error) {
		return map[string]string{"left-mine.json": "new"}, nil
	}, true)
	if err == nil || !strings.Contains(err.Error(), "it holds something else") || len(api.writes) > 0 {
		t.Errorf("it sent %q: %v", api.writes, err)
	}
}
