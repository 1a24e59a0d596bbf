package cmd

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

// servedWidget is an object as a server of dumps has it: whole, also where its metadata is asked for.
const servedWidget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"shop","name":"w1","uid":"u1","resourceVersion":"7",
	"creationTimestamp":"2026-03-01T01:00:00Z","deletionTimestamp":"2026-03-01T02:00:00Z","finalizers":["example.com/cleanup"]},"spec":{"size":3}}`

// serveDump serves a dump with that object. What is not in it, and every method but GET, is answered with
// a status of the server's own.
func serveDump(t *testing.T, review http.HandlerFunc, refused int) {
	t.Helper()
	list := func(kind, items string) http.HandlerFunc {
		return fakeapi.Respond(fmt.Sprintf(`{"apiVersion":"v1","kind":"%sList","metadata":{},"items":[%s]}`, kind, items))
	}
	const admission = "/apis/admissionregistration.k8s.io/v1/"
	responses := fakeapi.Responses{
		"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`), "/api": fakeapi.Respond(discoveryOf("", "Current", "Pod")),
		"/apis": fakeapi.Respond(discoveryOf("example.com", "Current", "Widget")), "/api/v1/pods": list("Pod", ""),
		"/apis/example.com/v1/widgets": list("Widget", servedWidget), "/apis/example.com/v1/namespaces/shop/widgets": list("Widget", servedWidget),
		"/apis/example.com/v1/namespaces/shop/widgets/w1": fakeapi.Respond(servedWidget),
		"/api/v1/namespaces/shop":                         fakeapi.Respond(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","uid":"n1"}}`),
		"/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com": fakeapi.Respond(
			`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.example.com"},"spec":{"group":"example.com","version":"v1"}}`),
		admission + "mutatingwebhookconfigurations": list("MutatingWebhookConfiguration", ""), admission + "validatingwebhookconfigurations": list("ValidatingWebhookConfiguration", ""),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, ok := responses[r.URL.Path]
		switch {
		case strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews"):
			review(w, r)
		case !ok:
			http.NotFound(w, r)
		case r.Method != http.MethodGet:
			w.WriteHeader(refused)
		default:
			handler(w, r)
		}
	}))
	t.Cleanup(server.Close)
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: dump\nclusters: [{name: dump, cluster: {server: %q}}]\ncontexts: [{name: dump, context: {cluster: dump}}]\n", server.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
}

// TestServedDumps holds that explain works on servers that serve a dump and are no API server, that what
// they do not serve is a gap, and that force-remove refuses. They answer requests for metadata with whole
// objects, and know no PATCH: actix-web answers 404 (crust-gather, src/gather/server.rs, where an access
// review always allows), gorilla/mux 405 (replicatedhq/sbctl, which serves no access review).
func TestServedDumps(t *testing.T) {
	for name, server := range map[string]struct {
		review  http.HandlerFunc
		refused int
		gap     string
	}{
		"crust-gather": {fakeapi.Respond(`{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","spec":{},"status":{"allowed":true}}`), http.StatusNotFound, "the result of a dry run"},
		"sbctl":        {http.NotFound, http.StatusMethodNotAllowed, "permission to patch widgets.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			serveDump(t, server.review, server.refused)
			run := func(args ...string) (code int, out string) {
				var stdout, stderr bytes.Buffer
				code = New(genericiooptions.IOStreams{In: strings.NewReader(""), Out: &stdout, ErrOut: &stderr}, realClock).Run(t.Context(), args)
				return code, stdout.String() + stderr.String()
			}
			if code, out := run("list", "-A"); code != 0 || !strings.Contains(out, "widget/w1") || !strings.Contains(out, "Unknown") {
				t.Errorf("list ended with %d:\n%s", code, out)
			}
			code, out := run("explain", "widgets.example.com/w1", "-n", "shop", "-o", "json")
			if code != 0 || !strings.Contains(out, `"verdict": "Unknown"`) || !strings.Contains(out, server.gap) || strings.Contains(out, `"causes": [{`) {
				t.Errorf("explain ended with %d:\n%s", code, out)
			}
			for _, options := range [][]string{nil, {"--override-verdict", "--accept-leaks"}} {
				code, out := run(append([]string{"force-remove", "widgets.example.com/w1", "-n", "shop", "--dry-run=server"}, options...)...)
				if code != 3 && code != 1 {
					t.Errorf("force-remove %v ended with %d:\n%s", options, code, out)
				}
			}
		})
	}
}
