package live_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

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

// hangingGroup is a server that knows no aggregated discovery, with a group that
// never answers.
type hangingGroup struct{}

func (hangingGroup) RoundTrip(r *http.Request) (*http.Response, error) {
	handler := unaggregatedDiscovery()[r.URL.Path]
	switch r.URL.Path {
	case "/version":
		handler = fakeapi.Respond(`{"gitVersion":"v1.29.0"}`)
	case "/apis/metrics.example.com/v1beta1":
		return hangingTransport{}.RoundTrip(r)
	}
	w := httptest.NewRecorder()
	handler(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

func TestGroupThatHangsInDiscoveryIsAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := bubbleClock()
		server, err := live.Connect(&rest.Config{Host: "http://api.example.com", Transport: hangingGroup{}}, bubbleClock)
		if err != nil {
			t.Fatal(err)
		}
		types, gaps, err := server.Types(cluster.WithReadBudget(t.Context(), 2*time.Minute))
		if err != nil || len(withoutSubresources(types)) != 2 {
			t.Errorf("the types are %v, %v", types, err)
		}
		if diff := cmp.Diff([]stuck.Gap{cluster.DiscoveryGap(schema.GroupVersion{Group: "metrics.example.com", Version: "v1beta1"}, "no answer in time")}, gaps); diff != "" {
			t.Errorf("gaps (-want +got):\n%s", diff)
		}
		if took := time.Since(start); took != 40*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}
