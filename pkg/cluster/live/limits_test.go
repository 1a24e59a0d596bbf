package live_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// reads are one of each kind of read, by what it reads.
var reads = map[string]func(context.Context, *live.Server) error{
	"discovery": func(ctx context.Context, s *live.Server) error { _, _, err := s.Types(ctx); return err },
	"scan": func(ctx context.Context, s *live.Server) error {
		return s.Scan(ctx, fakeapi.Pod, cluster.Selection{Namespace: "shop"}, func(stuck.Object) {})
	},
	"list": func(ctx context.Context, s *live.Server) error {
		return s.List(ctx, fakeapi.Pod, cluster.Selection{Namespace: "shop"}, func(unstructured.Unstructured) {})
	},
	"object": func(ctx context.Context, s *live.Server) error {
		_, err := s.Get(ctx, fakeapi.Pod, "shop", "web")
		return err
	},
	"metadata": func(ctx context.Context, s *live.Server) error {
		_, err := s.Metadata(ctx, fakeapi.Pod, "shop", "web")
		return err
	},
	"metrics": func(ctx context.Context, s *live.Server) error { _, err := s.Metrics(ctx); return err },
}

// respondEndlessly sends compressed lines of comment until nobody reads them any more.
func respondEndlessly(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var body io.Writer = w
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = gzip.NewWriter(w)
		}
		w.WriteHeader(code)
		for lines := strings.Repeat("# \n", 1<<14); r.Context().Err() == nil; {
			if _, err := io.WriteString(body, lines); err != nil {
				return
			}
		}
	}
}

func TestEndlessAnswersAreNotReadIntoMemory(t *testing.T) {
	all := maps.Clone(reads)
	for name, probe := range map[string]func(*live.Server, context.Context, stuck.Object) error{"dry run": (*live.Server).Probe, "dry run of a deletion": (*live.Server).ProbeDelete} {
		all[name] = func(ctx context.Context, s *live.Server) error {
			return probe(s, ctx, stuck.Object{Type: fakeapi.Pod, Namespace: "shop", Name: "web"})
		}
	}
	for name, read := range all {
		for _, code := range []int{http.StatusOK, http.StatusBadRequest} {
			if name == "scan" && code == http.StatusOK {
				continue // it is read as it arrives, within limits that pkg/cluster/wire tests
			}
			t.Run(fmt.Sprint(name, " answered with ", code), func(t *testing.T) {
				endless := respondEndlessly(code)
				server := fakeapi.Start(t, fakeapi.Responses{
					"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`), "/api": endless, "/apis": endless, "/metrics": endless,
					"/api/v1/namespaces/shop/pods": endless, "/api/v1/namespaces/shop/pods/web": endless,
				}, func(config *rest.Config) { config.Timeout = 10 * time.Second }).Server
				server.SetMaxAnswerBytes(1 << 20)
				err := read(t.Context(), server)
				if err == nil || !strings.Contains(err.Error(), "the answer is too large: no more than 1 MiB") {
					t.Errorf("the error is %v", err)
				}
				if n := server.BytesBeingRead(); n != 0 {
					t.Errorf("%d bytes still count as being read", n)
				}
			})
		}
	}
}

// pagedReads are those that follow a list from page to page.
var pagedReads = map[string]func(context.Context, *live.Server) error{
	"scan": reads["scan"], "list": reads["list"],
	"CRDs": func(ctx context.Context, s *live.Server) error { _, err := s.ConversionWebhookCRDs(ctx); return err },
}

// startPaged is a server of lists. It gives the token of the next page by that of the present one, and forbids all after so many.
func startPaged(t *testing.T, maxPages int64, next func(token string) string, objects ...metav1.PartialObjectMetadata) *live.Server {
	t.Helper()
	var pages atomic.Int64
	respond := func(w http.ResponseWriter, r *http.Request) {
		if pages.Add(1) > maxPages {
			fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)(w, r)
			return
		}
		fakeapi.RespondJSON(fakeapi.ListOf(next(r.URL.Query().Get("continue")), objects...))(w, r)
	}
	return fakeapi.Start(t, fakeapi.Responses{
		"/api/v1/namespaces/shop/pods": respond, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions": respond,
	}).Server
}

// A list that leads back to a page of its own has no end.
func TestRepeatedContinueTokenEndsAList(t *testing.T) {
	for name, read := range pagedReads {
		for tokens, next := range map[string]map[string]string{
			"the same": {"": "a", "a": "a"}, "a circle": {"": "a", "a": "b", "b": "a"},
		} {
			t.Run(name+" "+tokens, func(t *testing.T) {
				server := startPaged(t, 10, func(token string) string { return next[token] }, fakeapi.Object("shop", "a"))
				if err := read(t.Context(), server); err == nil || !strings.Contains(err.Error(), "the same continue token twice") {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

// A server that always has a new token, and no object, has no end either.
func TestEmptyPagesEndAList(t *testing.T) {
	for name, read := range pagedReads {
		t.Run(name, func(t *testing.T) {
			server := startPaged(t, 1000, func(token string) string { return token + "x" })
			if err := read(t.Context(), server); err == nil || !strings.Contains(err.Error(), "more than 100 empty pages") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// Answers to writes, and to questions about the user, are small.
func TestEndlessAnswersToWritesAreNotReadIntoMemory(t *testing.T) {
	server := httptest.NewServer(respondEndlessly(http.StatusCreated))
	defer server.Close()
	config := &rest.Config{Host: server.URL, Timeout: 20 * time.Second}
	user, err := live.NewCurrentUser(config)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := removal.NewWriter(live.WriteConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	_, err = user.Username(t.Context())
	for of, err := range map[string]error{
		"a question about the user": err,
		"a write":                   writer.Send(t.Context(), removal.Request{Verb: http.MethodPatch, Path: "/api/v1/namespaces/shop/pods/web", Body: []any{}}, false),
	} {
		if err == nil || !strings.Contains(err.Error(), "the answer is too large: no more than 8 MiB") {
			t.Errorf("the error of %s is %v", of, err)
		}
	}
}
