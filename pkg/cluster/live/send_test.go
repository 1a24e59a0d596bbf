package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

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
