package live_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
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
		w.Header().Set("Content-Encoding", "gzip")
		w.WriteHeader(code)
		// Some clients ask for no compression and count what they get: it must grow fast too.
		body, err := gzip.NewWriterLevel(w, gzip.HuffmanOnly)
		if err != nil {
			return
		}
		for lines := strings.Repeat("# \n", 1<<14); r.Context().Err() == nil; {
			if _, err := io.WriteString(body, lines); err != nil {
				return
			}
		}
	}
}

func TestEndlessAnswersAreNotReadIntoMemory(t *testing.T) {
	for name, read := range reads {
		for _, code := range []int{http.StatusOK, http.StatusBadRequest} {
			if name == "scan" && code == http.StatusOK {
				continue // it is read as it arrives, within limits that pkg/cluster/wire tests
			}
			t.Run(fmt.Sprint(name, " answered with ", code), func(t *testing.T) {
				endless := respondEndlessly(code)
				server := fakeapi.Start(t, fakeapi.Responses{
					"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`), "/api": endless, "/apis": endless, "/metrics": endless,
					"/api/v1/namespaces/shop/pods": endless, "/api/v1/namespaces/shop/pods/web": endless,
				}, func(config *rest.Config) { config.Timeout = time.Minute }).Server
				server.SetMaxAnswerBytes(1 << 20)
				err := read(t.Context(), server)
				if err == nil || !strings.Contains(err.Error(), "the answer is larger than 1 MiB") {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

// A list that leads back to a page of its own has no end.
func TestRepeatedContinueTokenEndsAList(t *testing.T) {
	for name, read := range map[string]func(context.Context, *live.Server) error{"scan": reads["scan"], "list": reads["list"]} {
		for tokens, next := range map[string]map[string]string{
			"the same": {"": "a", "a": "a"}, "a circle": {"": "a", "a": "b", "b": "a"},
		} {
			t.Run(name+" "+tokens, func(t *testing.T) {
				var pages atomic.Int64
				fake := fakeapi.Start(t, fakeapi.Responses{"/api/v1/namespaces/shop/pods": func(w http.ResponseWriter, r *http.Request) {
					if pages.Add(1) > 10 {
						fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)(w, r)
						return
					}
					fakeapi.RespondJSON(fakeapi.ListOf(next[r.URL.Query().Get("continue")], fakeapi.Object("shop", "a")))(w, r)
				}})
				if err := read(t.Context(), fake.Server); err == nil || !strings.Contains(err.Error(), "the same continue token twice") {
					t.Errorf("after %d pages the error is %v", pages.Load(), err)
				}
			})
		}
	}
}

// Trouble that passes is no error, and trouble that stays is told as it is.
func TestReadsAreSentAgainWhereTroubleMayPass(t *testing.T) {
	answers := fakeapi.Responses{
		"/api": fakeapi.Respond(aggregatedCore), "/apis": fakeapi.Respond(aggregatedGroups), "/metrics": fakeapi.Respond(""),
		"/api/v1/namespaces/shop/pods": fakeapi.RespondList(), "/api/v1/namespaces/shop/pods/web": fakeapi.RespondJSON(fakeapi.Object("shop", "web")),
	}
	for name, read := range reads {
		for _, code := range []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests} {
			for failures, ok := range map[int]bool{2: true, 100: false} {
				t.Run(fmt.Sprintf("%s, %d times %d", name, failures, code), func(t *testing.T) {
					t.Parallel()
					script := fakeapi.Responses{"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`)}
					for path, answer := range answers {
						var times atomic.Int64
						script[path] = func(w http.ResponseWriter, r *http.Request) {
							if int(times.Add(1)) <= failures {
								fakeapi.RespondStatus(code, metav1.StatusReasonUnknown)(w, r)
								return
							}
							answer(w, r)
						}
					}
					fake := fakeapi.Start(t, script)
					if err := read(t.Context(), fake.Server); (err == nil) != ok {
						t.Errorf("after %d requests the error is %v", len(fake.Requests()), err)
					}
				})
			}
		}
	}
}

func TestReadsAreNotSentAgainForNothing(t *testing.T) {
	var passed atomic.Int64
	for name, test := range map[string]struct {
		code  int
		takes time.Duration
	}{
		"forbidden":   {code: http.StatusForbidden},
		"bad request": {code: http.StatusBadRequest},
		"a webhook did not respond for half a minute": {code: http.StatusInternalServerError, takes: 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			fake := fakeapi.StartWithClock(t, func() time.Time { return fakeapi.Now.Add(time.Duration(passed.Load())) }, fakeapi.Responses{
				"/api/v1/namespaces/shop/pods/web": func(w http.ResponseWriter, r *http.Request) {
					passed.Add(int64(test.takes))
					fakeapi.RespondStatus(test.code, metav1.StatusReasonUnknown)(w, r)
				},
			})
			if err := reads["object"](t.Context(), fake.Server); err == nil || len(fake.Requests()) != 1 {
				t.Errorf("after %d requests the error is %v", len(fake.Requests()), err)
			}
		})
	}
}

// bubbleClock is the clock of a test's bubble.
var bubbleClock = time.Now //nolint:forbidigo // it waits for nobody

// hangingTransport never answers.
type hangingTransport struct{}

func (hangingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// An API server gives a conversion webhook 30 s, and then says what failed.
func TestRequestsMayTakeLongerThanTheServersWebhooks(t *testing.T) {
	for name, test := range map[string]struct{ flag, want time.Duration }{
		"by default":               {want: 40 * time.Second},
		"with --request-timeout":   {flag: 90 * time.Second, want: 90 * time.Second},
		"with a shorter one of it": {flag: 5 * time.Second, want: 5 * time.Second},
	} {
		for kind, read := range reads {
			t.Run(kind+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					start := bubbleClock()
					server, err := live.Connect(&rest.Config{Host: "http://api.example.com", Transport: hangingTransport{}, Timeout: test.flag}, bubbleClock)
					if err != nil {
						t.Fatal(err)
					}
					if err := read(t.Context(), server); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("the error is %v", err)
					}
					if took := time.Since(start); took < test.want || took > 2*test.want+time.Second {
						t.Errorf("it took %s, not %s", took, test.want)
					}
				})
			})
		}
	}
}

// All reads of a command end together, in an error that says which time was over.
func TestReadsEndWithTheTimeOfTheirCommand(t *testing.T) {
	for kind, read := range reads {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := bubbleClock()
				server, err := live.Connect(&rest.Config{Host: "http://api.example.com", Transport: hangingTransport{}}, bubbleClock)
				if err != nil {
					t.Fatal(err)
				}
				ctx := cluster.WithReadBudget(t.Context(), 10*time.Second)
				for range 3 {
					if err := read(ctx, server); err == nil || !strings.HasPrefix(apitext.ErrorMessage(err), "not read: the command's time of 10s was over") {
						t.Errorf("the error is %v", err)
					}
				}
				if took := time.Since(start); took != 10*time.Second {
					t.Errorf("it took %s", took)
				}
				if ctx.Err() != nil {
					t.Errorf("the command ended too: %v", ctx.Err())
				}
			})
		})
	}
}

// client-go would make the path of another object of such names.
func TestNamesThatArePathsAreNotSent(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{})
	for _, name := range []string{"..", ".", "a/b", "a%2fb"} {
		_, err := fake.Server.Get(t.Context(), fakeapi.Pod, "shop", name)
		_, metadataErr := fake.Server.Metadata(t.Context(), fakeapi.Pod, name, "web")
		for _, err := range []error{
			err, metadataErr,
			fake.Server.Scan(t.Context(), fakeapi.Pod, cluster.Selection{Namespace: name}, func(stuck.Object) {}),
			fake.Server.List(t.Context(), fakeapi.Pod, cluster.Selection{Namespace: name}, func(unstructured.Unstructured) {}),
			fake.Server.Probe(t.Context(), stuck.Object{Type: fakeapi.Pod, Namespace: "shop", Name: name}),
		} {
			if err == nil || !strings.Contains(err.Error(), "is not a valid name") {
				t.Errorf("of %q the error is %v", name, err)
			}
		}
	}
	if asked := fake.Requests(); len(asked) > 0 {
		t.Errorf("the server was asked for %v", asked)
	}
}
