package live_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// startRedirecting starts a server that sends every request on to another one,
// which counts what reaches it.
func startRedirecting(t *testing.T, code int) (config *rest.Config, arrived *atomic.Int64) {
	t.Helper()
	arrived = &atomic.Int64{}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		fakeapi.Respond(`{}`)(w, r)
	}))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, code)
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, BearerToken: "secret"}, arrived
}

func TestRedirectsToAnotherHostAreRefused(t *testing.T) {
	pod := stuck.Object{Type: fakeapi.Pod, Namespace: "shop", Name: "web", Finalizers: []string{"example.com/a"}}
	for name, send := range map[string]func(*testing.T, *rest.Config) error{
		"discovery": func(t *testing.T, config *rest.Config) error {
			_, _, err := connect(t, config).Types(t.Context())
			return err
		},
		"a scan": func(t *testing.T, config *rest.Config) error {
			return connect(t, config).Scan(t.Context(), fakeapi.Pod, cluster.Selection{}, func(stuck.Object) {})
		},
		"one object": func(t *testing.T, config *rest.Config) error {
			_, err := connect(t, config).Get(t.Context(), fakeapi.Pod, "shop", "web")
			return err
		},
		"a dry run": func(t *testing.T, config *rest.Config) error { return connect(t, config).Probe(t.Context(), pod) },
		"the user's name": func(t *testing.T, config *rest.Config) error {
			user, err := live.NewCurrentUser(config)
			if err != nil {
				t.Fatal(err)
			}
			_, err = user.Username(t.Context())
			return err
		},
		"a write": func(t *testing.T, config *rest.Config) error {
			writer, err := removal.NewWriter(live.WriteConfig(config))
			if err != nil {
				t.Fatal(err)
			}
			return writer.Send(t.Context(), removal.Request{Verb: http.MethodPatch, Path: "/api/v1/namespaces/shop/pods/web", Body: []any{}}, false)
		},
	} {
		for _, code := range []int{http.StatusFound, http.StatusTemporaryRedirect} {
			t.Run(name+" "+http.StatusText(code), func(t *testing.T) {
				config, arrived := startRedirecting(t, code)
				if err := send(t, config); err == nil || !strings.Contains(err.Error(), "redirects to another host or scheme are refused") {
					t.Errorf("the error is %v", err)
				}
				if n := arrived.Load(); n > 0 {
					t.Errorf("%d requests reached the other host", n)
				}
			})
		}
	}
}

// TestRedirectsToAnotherSchemeAreRefused lets a server with TLS redirect to the same host and port without.
func TestRedirectsToAnotherSchemeAreRefused(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://"+r.Host+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	config := &rest.Config{Host: server.URL, BearerToken: "secret", TLSClientConfig: rest.TLSClientConfig{CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}}
	_, err := connect(t, config).Get(t.Context(), fakeapi.Pod, "shop", "web")
	if err == nil || !strings.Contains(err.Error(), "the server redirects to http://") {
		t.Errorf("the error is %v", err)
	}
}

// connect is a server for a configuration.
func connect(t *testing.T, config *rest.Config) *live.Server {
	t.Helper()
	server, err := live.Connect(config, func() time.Time { return fakeapi.Now })
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// A server may move a path within itself.
func TestRedirectsWithinTheServerAreFollowed(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/version":     func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/k8s/version", http.StatusFound) },
		"/k8s/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`),
	})
	if version, err := fake.Server.Version(t.Context()); err != nil || version != "v1.37.1" {
		t.Errorf("the version is %q, %v", version, err)
	}
}
