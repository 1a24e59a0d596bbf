package removal

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const widgetsPath = "/apis/example.com/v1/namespaces/shop/widgets"

// hangUp closes the connection instead of an answer.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// startAPI is a server that follows a script, and what writes to it.
func startAPI(t *testing.T, responses fakeapi.Responses) (*fakeapi.Server, *Writer) {
	t.Helper()
	var host string
	server := fakeapi.Start(t, responses, func(c *rest.Config) { host = c.Host })
	w, err := NewWriter(&rest.Config{Host: host})
	if err != nil {
		t.Fatal(err)
	}
	return server, w
}

// writtenBy is the account of who wrote an object.
func writtenBy(manager string) func(*metav1.PartialObjectMetadata) {
	return func(m *metav1.PartialObjectMetadata) {
		m.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate}}
	}
}

// TestRestoreLooksAfterALostAnswer loses the answers to writes, and counts them.
func TestRestoreLooksAfterALostAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		// manager has written what is there after the first POST, empty if nothing is there until the second.
		manager string
		content string
		posts   int
		want    string
	}{
		"done":              {"kubectl-finalizers", "", 1, ""},
		"another":           {"kubectl-create", "", 1, "another object has its name now"},
		"not done":          {"", "", 2, ""},
		"done, no account":  {"none", "blue", 1, ""},
		"other, no account": {"none", "red", 1, "another object has its name now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			posts := 0
			absent := fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)
			server, w := startAPI(t, fakeapi.Responses{
				widgetsPath: func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					posts++
					second := posts == 2
					mu.Unlock()
					if second {
						fakeapi.Respond(`{}`)(w, r)
						return
					}
					hangUp(w, r)
				},
				widgetsPath + "/a": func(w http.ResponseWriter, r *http.Request) {
					mu.Lock()
					defer mu.Unlock()
					switch {
					case posts == 0 || test.manager == "" && posts == 1:
						absent(w, r)
					case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata") && test.manager == "none":
						fakeapi.RespondJSON(fakeapi.Object("shop", "a"))(w, r)
					case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata"):
						restored := fakeapi.Object("shop", "a", writtenBy(test.manager))
						restored.Finalizers = []string{"example.com/hold"}
						fakeapi.RespondJSON(restored)(w, r)
					default:
						o := deletedWidget()
						o.SetUID("new")
						o.Object["spec"] = map[string]any{"color": test.content, "filled": "in"}
						fakeapi.RespondJSON(o)(w, r)
					}
				},
			})
			failed, lines := runRestore(t, server, w)
			if posts != test.posts {
				t.Errorf("it was created %d times, want %d", posts, test.posts)
			}
			if text := strings.Join(failed, "\n"); (text == "") != (test.want == "") || !strings.Contains(text, test.want) {
				t.Errorf("failed: %q, want %q", text, test.want)
			}
			if last := lines[len(lines)-1]; (last.Result == "restored") != (test.want == "") {
				t.Errorf("the audit file ends with %q", last.Result)
			}
		})
	}
}

func deletedWidget() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "spec": map[string]any{"color": "blue"},
		"metadata": map[string]any{
			"name": "a", "namespace": "shop", "uid": "old", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": []any{"example.com/hold"},
		},
	}}
}

// runRestore creates a widget again, and gives what failed and the audit file.
func runRestore(t *testing.T, server *fakeapi.Server, w *Writer) (failed []string, lines []AuditEntry) {
	t.Helper()
	dir := t.TempDir()
	audit, err := OpenAudit(dir)
	if err != nil {
		t.Fatal(err)
	}
	audit.Now = func() time.Time { return fakeapi.Now }
	run := &RestoreRun{
		Source: server.Server, Writer: w, Audit: audit,
		Steps: []RestoreStep{{Type: fakeapi.Widget, SavedCopy: SavedCopy{Object: deletedWidget()}}},
	}
	for _, result := range run.Apply(t.Context()) {
		if result.Outcome != Done {
			failed = append(failed, result.Message)
		}
	}
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, AuditFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(content)) {
		var e AuditEntry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e)
	}
	return failed, lines
}

// TestVerifySaysWhatWasSeen holds that the end of verifyTimeout does not hide what was seen before, and that nothing
// is called written of which it is not known.
func TestVerifySaysWhatWasSeen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		seen int
		want string
	}{
		"answered":            {nil, 2, "example.com/hold is still present, or was added again"},
		"unanswered":          {io.EOF, 2, "no answer to the write, and it is not known whether it was written: example.com/hold is still present"},
		"nothing seen":        {nil, 0, "written, but it could not be read again: no answer in time"},
		"nothing seen at all": {io.EOF, 0, "no answer to the write, and it is not known whether it was written: it could not be read again: no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			reads := 0
			server, w := startAPI(t, fakeapi.Responses{widgetsPath + "/a": func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				reads++
				answer := reads <= test.seen
				mu.Unlock()
				if !answer {
					fakeapi.RespondNever(w, r)
					return
				}
				fakeapi.RespondJSON(fakeapi.Object("shop", "a", func(m *metav1.PartialObjectMetadata) { m.Finalizers = []string{"example.com/hold"} }))(w, r)
			}})
			run := Run{Source: server.Server, Writer: w}
			step := Step{Object: stuck.Object{Type: fakeapi.Widget, Namespace: "shop", Name: "a", UID: "uid-of-a"}, Finalizers: []string{"example.com/hold"}}
			var result Result
			run.verify(t.Context(), step, &result, test.err)
			if result.Outcome != Failed || result.Message != test.want {
				t.Errorf("%s: %s, want %s", result.Outcome, result.Message, test.want)
			}
		})
	}
}

// TestWriteErrorsAreVerified answers a write with an error that may come after it, such as that of etcd or of a gateway, and
// one that cannot: what is said of the object is what it shows.
func TestWriteErrorsAreVerified(t *testing.T) {
	t.Parallel()
	status := func(code int, message string) string {
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"message":%q}`, code, message)
	}
	etcd := status(http.StatusInternalServerError, "etcdserver: request timed out")
	for name, test := range map[string]struct {
		code    int
		body    string
		written bool
		outcome Outcome
		message string
	}{
		"etcd, written":     {500, etcd, true, Done, "deleted"},
		"etcd, not written": {500, etcd, false, Failed, "the API server answered the write with an error (etcdserver: request timed out), and it is not known whether it was written: example.com/hold is still present"},
		"gateway, written":  {504, "upstream request timeout", true, Done, "deleted"},
		"admission webhook": {500, status(500, `Internal error occurred: failed calling webhook "a.example.com": no`), false, Failed, `Internal error occurred: failed calling webhook "a.example.com": no`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var written atomic.Bool
			server, w := startAPI(t, fakeapi.Responses{widgetsPath + "/a": func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPatch:
					written.Store(test.written)
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(test.code)
					_, _ = io.WriteString(w, test.body)
				case written.Load():
					fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)(w, r)
				default:
					fakeapi.RespondJSON(fakeapi.Object("shop", "a", func(m *metav1.PartialObjectMetadata) { m.Finalizers = []string{"example.com/hold"} }))(w, r)
				}
			}})
			audit, err := OpenAudit(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer audit.Close()
			audit.Now = func() time.Time { return fakeapi.Now }
			run := Run{Source: server.Server, Writer: w, Audit: audit, Diagnoser: &Diagnoser{}}
			step := Step{
				Object:     stuck.Object{Type: fakeapi.Widget, Namespace: "shop", Name: "a", UID: "uid-of-a", Finalizers: []string{"example.com/hold"}},
				Finalizers: []string{"example.com/hold"},
			}
			result := Result{Step: step}
			retry := run.write(t.Context(), step, &result)
			if result.Outcome != test.outcome || result.Message != test.message {
				t.Errorf("%s: %s, want %s: %s", result.Outcome, result.Message, test.outcome, test.message)
			}
			if (retry != nil) != (name == "etcd, not written") {
				t.Errorf("it is tried again: %v", retry)
			}
		})
	}
}
