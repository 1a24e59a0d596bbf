package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// crateList creates crates of the names given, held by the finalizer $G/hold.
const crateList = `
crates() {
  for name in "$@"; do
    printf -- '---\n{"apiVersion":"%s/v1","kind":"Crate","metadata":{"name":"%s","namespace":"%s","finalizers":["%s/hold"]},"spec":{"size":3}}\n' "$G" "$name" "$N" "$G"
  done | kubectl create -f -
}
`

// removalScene is the place of one test: a namespace of its own with a type of its own.
type removalScene struct {
	p         *plane.Plane
	namespace string
	group     string
	// state is where the plugin saves copies.
	state string
}

// newRemoval sets a scene. The script finds the namespace in N, the type's group in G, and the function crates.
func newRemoval(t *testing.T, p *plane.Plane, name, script string) *removalScene {
	t.Helper()
	s := &removalScene{p: p, namespace: "removal-" + name, group: takeType(t, p, name), state: t.TempDir()}
	s.runScript(t, "kubectl create namespace $N\n"+script)
	return s
}

// runScript does lines for a shell in the scene.
func (s *removalScene) runScript(t *testing.T, script string) {
	t.Helper()
	runSetup(t, s.p, fmt.Sprintf("G=%s N=%s\n%s%s", s.group, s.namespace, crateList, script))
}

// deleted waits until the namespace controller has tried.
const deleted = `
kubectl delete namespace $N --wait=false
kubectl wait namespace/$N --for=condition=NamespaceFinalizersRemaining --timeout=5m
`

// remove runs force-remove in the scene as its admin.
func (s *removalScene) remove(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	out, errOut, code = finalizers(t, s.env(plane.Admin), append([]string{"force-remove"}, args...)...)
	t.Logf("$ kubectl finalizers force-remove %s\n%s%s(%d)", strings.Join(args, " "), errOut, out, code)
	return out, errOut, code
}

func (s *removalScene) env(user string) []string {
	return append(s.p.Env(user), "XDG_STATE_HOME="+s.state)
}

// savedCopies are the saved copies of all runs, and audits the lines of their audit files.
func (s *removalScene) savedCopies(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.state, "kubectl-finalizers", "*", "*", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (s *removalScene) auditEntries(t *testing.T) []removal.AuditEntry {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.state, "kubectl-finalizers", "*", "*", "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []removal.AuditEntry
	for _, file := range found {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			var e removal.AuditEntry
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// wantAudited expects that each write which the API server saw since the mark has a line of its own in an audit file.
func (s *removalScene) wantAudited(t *testing.T, since plane.Mark) {
	t.Helper()
	begun := map[string]int{}
	for _, e := range s.auditEntries(t) {
		if e.Result == removal.AuditBegun {
			begun[e.Request]++
		}
	}
	done, _ := s.writes(t, since)
	for _, write := range done {
		verb, rest, _ := strings.Cut(write, " ")
		path, _, _ := strings.Cut(rest, " ")
		request := map[string]string{"patch": "PATCH", "update": "PUT", "create": "POST", "delete": "DELETE"}[verb] + " " + path
		if begun[request]--; begun[request] < 0 {
			t.Errorf("no audit file tells of %s", write)
		}
	}
}

// mark is now in the audit log.
func (s *removalScene) mark(t *testing.T) plane.Mark {
	t.Helper()
	mark, err := s.p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return mark
}

// writes are what the plugin has asked the API server to write since the mark, and what it has tried, as lines.
func (s *removalScene) writes(t *testing.T, since plane.Mark) (done, tried []string) {
	t.Helper()
	for _, r := range s.sent(t, since) {
		path, _, _ := strings.Cut(r.URI, "?")
		line := fmt.Sprintf("%s %s %d", r.Verb, path, r.Code)
		if r.DryRun {
			tried = append(tried, line)
		} else {
			done = append(done, line)
		}
	}
	slices.Sort(done)
	return done, tried
}

// sent are the writes and dry runs of the plugin since the mark. It asks for what one may do, and who one is, in the form of a
// creation: nothing is stored.
func (s *removalScene) sent(t *testing.T, since plane.Mark) []plane.Request {
	t.Helper()
	requests, err := s.p.Requests(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(requests, func(r plane.Request) bool {
		path, _, _ := strings.Cut(r.URI, "?")
		isHere := slices.Contains(strings.Split(path, "/"), s.namespace) || strings.Contains(path, "/"+s.group+"/")
		return !isHere || !strings.HasPrefix(r.UserAgent, "kubectl-finalizers/") || slices.Contains([]string{"get", "list", "watch"}, r.Verb)
	})
}

// crates reads and writes the crates of the scene without a program, which is faster.
func (s *removalScene) crates(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	return s.resource(t, schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: "crates"}).Namespace(s.namespace)
}

func (s *removalScene) resource(t *testing.T, resource schema.GroupVersionResource) dynamic.NamespaceableResourceInterface {
	t.Helper()
	config, err := s.p.Config(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client.Resource(resource)
}

// namespaces are all namespaces of the cluster.
func (s *removalScene) namespaces(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	return s.resource(t, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
}

// path is where the API server has a crate of the scene.
func (s *removalScene) path(crate string) string {
	return fmt.Sprintf("/apis/%s/v1/namespaces/%s/crates/%s", s.group, s.namespace, crate)
}

// crate is a crate of the scene as an argument.
func (s *removalScene) crate(name string) string { return "crates." + s.group + "/" + name }

// wantNoWrites expects that nothing was written since the mark.
func (s *removalScene) wantNoWrites(t *testing.T, since plane.Mark) {
	t.Helper()
	if done, _ := s.writes(t, since); len(done) > 0 {
		t.Errorf("it wrote: %v", done)
	}
}

// get reads a field of an object of the scene, empty if it is gone.
func (s *removalScene) get(t *testing.T, what, field string) string {
	t.Helper()
	out, _, _ := kubectl(t, s.p, plane.Admin, "get", "-n", s.namespace, what, "--ignore-not-found", "-o", "jsonpath="+field)
	return out
}

// isPersistedWrite reports whether a request is a write that is meant.
func isPersistedWrite(r *http.Request) bool {
	return (r.Method == http.MethodPatch || r.Method == http.MethodPut) && !r.URL.Query().Has("dryRun")
}

// isSelfSubjectReview is the last request before the confirmation that a flag gives: who one is, for the audit file.
func isSelfSubjectReview(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/selfsubjectreviews")
}

func wantOutput(t *testing.T, code, wantCode int, text string, words ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("it ended with %d, want %d", code, wantCode)
	}
	wantWords(t, text, words)
}
