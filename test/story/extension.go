package story

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// htmlPage is what a web server says that someone has put in the place of an extension API server.
const htmlPage = "<!doctype html>\n<title>Welcome</title>\n<h1>It works!</h1>\n"

// serveExtension stands where an extension API server should: for the API GROUP/VERSION/RESOURCE[,RESOURCE...], or, with
// none, as a web server that answers everything with a friendly page. Without a list time it fails at all that is to be done
// to objects. It answers over TLS that nobody vouches for, on a free port of the loopback address, until the context ends.
func serveExtension(ctx context.Context, api string, listTime time.Duration) (port string, err error) {
	handle := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, htmlPage) // whoever hangs up has heard enough
	}
	switch {
	case api != "" && listTime > 0:
		handle = serveAPI(api, emptyAPI(listTime))
	case api != "":
		handle = serveAPI(api, failAPI)
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

// serveAPI answers discovery, and lets handle answer everything that is to be done to objects.
func serveAPI(api string, handle http.HandlerFunc) http.HandlerFunc {
	parts := strings.Split(api, "/")
	types := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: parts[0] + "/" + parts[1]}
	for resource := range strings.SplitSeq(parts[2], ",") {
		kind := strings.ToUpper(resource[:1]) + strings.TrimSuffix(resource[1:], "s")
		types.APIResources = append(types.APIResources, metav1.APIResource{Name: resource, Kind: kind, Namespaced: true, Verbs: metav1.Verbs{"delete", "deletecollection", "get", "list"}})
	}
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/apis/" + types.GroupVersion:
			_ = json.NewEncoder(w).Encode(types) // whoever hangs up has heard enough
		case "/apis":
			w.WriteHeader(http.StatusNotFound) // it has no aggregated discovery
		default:
			handle(w, r)
		}
	}
}

// failAPI answers with an internal error.
func failAPI(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusInternalServerError)
	_ = json.NewEncoder(w).Encode(metav1.Status{ // whoever hangs up has heard enough
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "Internal error occurred: the database is unreachable",
	})
}

// emptyAPI has no objects, and takes its time to say so.
func emptyAPI(listTime time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, takes := any(metav1.PartialObjectMetadataList{
			TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"},
		}), listTime
		if r.Method == http.MethodDelete {
			answer, takes = metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess}, 5*listTime
		}
		select {
		case <-time.After(takes):
			_ = json.NewEncoder(w).Encode(answer) // whoever hangs up has heard enough
		case <-r.Context().Done():
		}
	}
}
