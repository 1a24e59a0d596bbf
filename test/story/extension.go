package story

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// htmlPage is what a web server says that someone has put in the place of an extension API server.
const htmlPage = "<!doctype html>\n<title>Welcome</title>\n<h1>It works!</h1>\n"

// serveExtension stands where an extension API server should: for the API GROUP/VERSION/RESOURCE, or, with none, as a web
// server that answers everything with a friendly page. It answers over TLS that nobody vouches for, on a free port of
// the loopback address, until the context ends.
func serveExtension(ctx context.Context, api string) (port string, err error) {
	handle := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, htmlPage) // whoever hangs up has heard enough
	}
	if api != "" {
		handle = failingAPI(api)
	}
	server := httptest.NewTLSServer(http.HandlerFunc(handle))
	context.AfterFunc(ctx, func() {
		server.CloseClientConnections()
		server.Close()
	})
	address, err := url.Parse(server.URL)
	if err != nil {
		return "", err
	}
	return address.Port(), nil
}

// failingAPI answers discovery, and everything that is to be done to objects with an internal error.
func failingAPI(api string) http.HandlerFunc {
	parts := strings.Split(api, "/")
	groupVersion, resource := parts[0]+"/"+parts[1], parts[2]
	kind := strings.ToUpper(resource[:1]) + strings.TrimSuffix(resource[1:], "s")
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := any(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "Internal error occurred: the database is unreachable",
		})
		switch r.URL.Path {
		case "/apis/" + groupVersion:
			answer = metav1.APIResourceList{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: groupVersion,
				APIResources: []metav1.APIResource{{Name: resource, Kind: kind, Namespaced: true, Verbs: metav1.Verbs{"delete", "deletecollection", "get", "list"}}},
			}
		case "/apis":
			w.WriteHeader(http.StatusNotFound) // it has no aggregated discovery
		default:
			w.WriteHeader(http.StatusInternalServerError)
		}
		_ = json.NewEncoder(w).Encode(answer) // whoever hangs up has heard enough
	}
}
