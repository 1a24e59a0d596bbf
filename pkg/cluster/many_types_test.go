package cluster_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What holds for all types is asked once where many types are asked about. An answer that does not hold for all says nothing
// about one.
func TestManyTypesAreAskedAboutOnce(t *testing.T) {
	const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	tests := map[string]struct {
		types                int
		everything           bool
		reviews, definitions int
	}{
		"everything may be patched":     {types: 11, everything: true, reviews: 1, definitions: 1},
		"not everything may be patched": {types: 11, reviews: 12, definitions: 1},
		"the types are few":             {types: 10, everything: true, reviews: 10, definitions: 10},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			script := fakeapi.Responses{
				"/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com": fakeapi.Respond(`{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","metadata":{"name":"v1.example.com"}}`),
				reviewsPath: func(w http.ResponseWriter, r *http.Request) {
					review, _ := io.ReadAll(r.Body)
					w.Header().Set("Content-Type", "application/json")
					_, _ = fmt.Fprintf(w, `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","status":{"allowed":%t}}`, test.everything || bytes.Contains(review, []byte("kind")))
				},
			}
			var objects []stuck.Object
			var all []metav1.PartialObjectMetadata
			for i := range test.types {
				o := stuck.Object{
					Type:      stuck.Type{Group: "example.com", Version: "v1", Resource: fmt.Sprintf("kind%ds", i), Kind: fmt.Sprintf("Kind%d", i), Namespaced: true},
					Namespace: "shop", Name: "a", UID: types.UID(fmt.Sprintf("uid-%d", i)), DeletionTime: time.Unix(1, 0), Finalizers: []string{"example.com/a"},
				}
				objects, all = append(objects, o), append(all, fakeapi.Object("", o.Type.String()))
				script[o.Path()] = fakeapi.RespondJSON(fakeapi.Object(o.Namespace, o.Name))
				script[definitionsPath+"/"+o.Type.String()] = fakeapi.RespondJSON(all[i])
			}
			script[definitionsPath] = fakeapi.RespondList(all...)
			s := fakeapi.Start(t, script)
			view := s.View(t, nil).ForObjects(objects)
			for _, o := range objects {
				if !view.Probe(o).Accepted || !view.CRDMetadata(o.Type).Found() {
					t.Errorf("%s: not accepted, or without a definition", o.Type)
				}
			}
			var reviews, read int
			for _, path := range s.Requests() {
				if path == reviewsPath {
					reviews++
				}
				if strings.HasPrefix(path, definitionsPath) {
					read++
				}
			}
			if reviews != test.reviews || read != test.definitions {
				t.Errorf("%d questions about permissions and %d reads of definitions, and not %d and %d", reviews, read, test.reviews, test.definitions)
			}
			if gaps := view.AllGaps(); len(gaps) > 0 {
				t.Errorf("gaps: %v", gaps)
			}
		})
	}
}
