package fakeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Responses are what an API server that is in trouble answers, by path. They know
// nothing of Kubernetes and store nothing: what a healthy one does is tested
// on a real one. What has no response is forbidden.
type Responses map[string]http.HandlerFunc

// ServeHTTP gives the response to one request.
func (all Responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, ok := all[r.URL.Path]
	if !ok {
		handler = RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)
	}
	handler(w, r)
}

// Server gives scripted responses, and remembers the requests.
type Server struct {
	Server   *live.Server
	mu       sync.Mutex
	Received []*http.Request
}

// Start starts a server that gives these responses. Changes are made to the
// configuration of its client.
func Start(t *testing.T, responses Responses, changes ...func(*rest.Config)) *Server {
	t.Helper()
	return StartWithClock(t, func() time.Time { return Now }, responses, changes...)
}

// StartWithClock is Start with a clock of its own.
func StartWithClock(t *testing.T, clock func() time.Time, responses Responses, changes ...func(*rest.Config)) *Server {
	t.Helper()
	s := &Server{}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/version" { // asked once, before the first scan
			s.mu.Lock()
			s.Received = append(s.Received, r)
			s.mu.Unlock()
		}
		responses.ServeHTTP(w, r)
	}))
	t.Cleanup(listener.Close)
	config := &rest.Config{Host: listener.URL}
	for _, change := range changes {
		if change != nil {
			change(config)
		}
	}
	var err error
	if s.Server, err = live.Connect(config, clock); err != nil {
		t.Fatal(err)
	}
	return s
}

// Requests are the paths that were asked for, in order of the alphabet.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, r := range s.Received {
		paths = append(paths, r.URL.Path)
	}
	slices.Sort(paths)
	return paths
}

// Accepts are the Accept headers of the requests for a path.
func (s *Server) Accepts(path string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var headers []string
	for _, r := range s.Received {
		if r.URL.Path == path {
			headers = append(headers, r.Header.Get("Accept"))
		}
	}
	return headers
}

// View is a view on the stage, with these types discovered.
func (s *Server) View(t *testing.T, discovery []stuck.Gap, all ...stuck.Type) *cluster.View {
	return cluster.NewView(t.Context(), s.Server, all, discovery)
}

// Respond answers with a body of JSON.
func Respond(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, body)
	}
}

// RespondJSON answers with a value as JSON.
func RespondJSON(value any) http.HandlerFunc {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return Respond(string(body))
}

// RespondList answers a request for metadata, or for whole objects, with a list.
func RespondList(objects ...metav1.PartialObjectMetadata) http.HandlerFunc {
	return RespondJSON(ListOf("", objects...))
}

// ListOf is a page of a list; next is its continue token.
func ListOf(next string, objects ...metav1.PartialObjectMetadata) metav1.PartialObjectMetadataList {
	return metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"},
		ListMeta: metav1.ListMeta{Continue: next},
		Items:    objects,
	}
}

// Object is the metadata of an object that is being deleted, with its name as
// its uid.
func Object(namespace, name string, changes ...func(*metav1.PartialObjectMetadata)) metav1.PartialObjectMetadata {
	deleted := metav1.NewTime(Now.Add(-time.Hour))
	m := metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID("uid-of-" + name), DeletionTimestamp: &deleted,
		},
	}
	for _, change := range changes {
		change(&m)
	}
	return m
}

// NotDeleting removes the deletionTimestamp of an object.
func NotDeleting(m *metav1.PartialObjectMetadata) { m.DeletionTimestamp = nil }

// OwnedBy gives an object an owner.
func OwnedBy(uid types.UID) func(*metav1.PartialObjectMetadata) {
	return func(m *metav1.PartialObjectMetadata) {
		m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Owner", Name: "owner", UID: uid})
	}
}

// RespondStatus answers with a Status of a code and a reason.
func RespondStatus(code int, reason metav1.StatusReason) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		body, err := json.Marshal(metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: strings.ToLower(http.StatusText(code)),
		})
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(body)
	}
}

// RespondNever answers nothing until the client has given up.
func RespondNever(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// The time of the server, types that it serves, and what keeps objects that are
// being deleted.
var (
	Now     = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	Pod     = stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true}
	Secret  = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true, Listable: true}
	Widget  = custom("Widget")
	Gadget  = custom("Gadget")
	Gizmo   = custom("Gizmo")
	Deleted = stuck.Object.Deleting
)

// custom is a type of example.com.
func custom(kind string) stuck.Type {
	return stuck.Type{
		Group: "example.com", Version: "v1", Resource: strings.ToLower(kind) + "s", Kind: kind, SingularName: strings.ToLower(kind),
		Namespaced: true, Listable: true,
	}
}

// Names are the objects by name, in the order in which they come.
func Names(objects []stuck.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.Name)
	}
	return out
}
