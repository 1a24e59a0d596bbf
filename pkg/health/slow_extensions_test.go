package health

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Only an extension server that is slow again, and slower than the API server itself, is called slow.
func TestSlowExtensions(t *testing.T) {
	for name, test := range map[string]struct {
		first, again, builtIn time.Duration
		want                  bool
	}{
		"slow":                    {first: 3 * time.Second, again: 2 * time.Second, want: true},
		"slow once":               {first: 3 * time.Second, again: time.Millisecond},
		"fast":                    {first: time.Millisecond, again: 3 * time.Second},
		"so is the connection":    {first: 3 * time.Second, again: 3 * time.Second, builtIn: 2500 * time.Millisecond},
		"slower than the network": {first: 3 * time.Second, again: 3 * time.Second, builtIn: time.Second, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newServerChecker(t, func(*http.Request) (int, any) {
					<-time.After(test.again)
					return http.StatusOK, objectList()
				})
				c.view = newRecordedChecker(t, recording.Answer{Question: "get apiservices.apiregistration.k8s.io/v1.example.com", Objects: []map[string]any{{
					"metadata": map[string]any{"name": "v1.example.com"}, "spec": map[string]any{"group": "example.com", "version": "v1", "service": map[string]any{"namespace": "ops", "name": "widgets"}},
				}}}).view
				page := &metav1.PartialObjectMetadataList{}
				c.lists = []listResult{{Type: pods, First: page, Duration: test.builtIn}, {Type: widgets, First: page, Duration: test.first}}
				if found := c.slowExtensions(t.Context()); (len(found) > 0) != test.want {
					t.Errorf("it found %+v", found)
				}
			})
		})
	}
}

// How many namespaces are being deleted is not said where they were not read.
func TestNamespaceQueueThatWasNotRead(t *testing.T) {
	c := newRecordedChecker(t)
	if text := c.namespaceQueue(); text != "how many namespaces are being deleted was not read" {
		t.Errorf("it says %q", text)
	}
	c.snapshot = snapshot{read: map[schema.GroupResource]bool{{Resource: "namespaces"}: true}, deleting: []stuck.Object{{
		Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "shop", DeletionTime: now.Add(-time.Hour),
	}}}
	if text := c.namespaceQueue(); text != "1 namespace is being deleted, the oldest (shop) for 60m" {
		t.Errorf("it says %q", text)
	}
}
