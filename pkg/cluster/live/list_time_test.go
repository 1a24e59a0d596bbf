package live_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

// A list is timed by itself, as one of a single object in its namespace.
func TestListTime(t *testing.T) {
	var passed atomic.Int64
	clock := func() time.Time { return fakeapi.Now.Add(time.Duration(passed.Load())) }
	fake := fakeapi.StartWithClock(t, clock, fakeapi.Responses{
		"/apis/example.com/v1/namespaces/shop/widgets": func(w http.ResponseWriter, r *http.Request) {
			passed.Add(int64(4 * time.Second))
			if limit := r.URL.Query().Get("limit"); limit != "1" {
				t.Errorf("the limit is %q", limit)
			}
			fakeapi.RespondList()(w, r)
		},
	}, nil)
	took, err := fake.Server.ListTime(t.Context(), fakeapi.Widget, "shop")
	if err != nil || took != 4*time.Second {
		t.Errorf("it took %s: %v", took, err)
	}
	if _, err := fake.Server.ListTime(t.Context(), fakeapi.Gadget, "shop"); err == nil {
		t.Error("a list that failed has a time")
	}
}
