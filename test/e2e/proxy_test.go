package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// reverseProxy is the way to the plane, as its admin.
func reverseProxy(t *testing.T, p *plane.Plane) *httputil.ReverseProxy {
	t.Helper()
	config, err := p.Config(plane.Admin)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // a watch brings each event at once
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// The plugin has hung up, or will tell what it got.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
}

// serveProxy puts a way to the plane at an address. The hook sees each request first, and reports whether it has answered it.
func serveProxy(t *testing.T, proxy http.Handler, hook func(http.ResponseWriter, *http.Request) bool) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !hook(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// startProxy is a proxy before the plane.
func startProxy(t *testing.T, p *plane.Plane, hook func(http.ResponseWriter, *http.Request) bool) (address string) {
	t.Helper()
	return serveProxy(t, reverseProxy(t, p), hook)
}
