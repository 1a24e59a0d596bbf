package live_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Who watches a type is asked of others: the watches of list -w and of health, as long
// as they are open, are not among them.
func TestOwnWatchesDoNotCount(t *testing.T) {
	watching := func(w http.ResponseWriter, r *http.Request) {
		if !r.URL.Query().Has("watch") {
			list := fakeapi.ListOf("")
			list.ResourceVersion = "100"
			fakeapi.RespondJSON(list)(w, r)
			return
		}
		fakeapi.Respond(event("MODIFIED", fakeapi.Object("shop", "a", atResourceVersion("101"))))(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	const line = `apiserver_longrunning_requests{group="example.com",resource="%s",scope="cluster",subresource="",verb="WATCH",version="v1"} %d` + "\n"
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/apis/example.com/v1/widgets": watching,
		"/apis/example.com/v1/gadgets": watching,
		"/metrics":                     fakeapi.Respond(fmt.Sprintf(line, "widgets", 3) + fmt.Sprintf(line, "gadgets", 0)),
	})
	open := func(want string) {
		t.Helper()
		m, err := fake.Server.Metrics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range m.Watches {
			got += fmt.Sprintf("%s %d, ", w.Resource, w.Open)
		}
		if got != want {
			t.Errorf("of others there are %q, not %q", got, want)
		}
	}
	open("gadgets 0, widgets 3, ")

	ctx, stop := context.WithCancel(t.Context())
	opened := make(chan struct{}, 2)
	var following sync.WaitGroup
	following.Go(func() {
		fake.Server.Follow(ctx, []live.TypeSelection{{Type: fakeapi.Widget}, {Type: fakeapi.Gadget}}, func(c live.Change) {
			if !c.Relisted {
				opened <- struct{}{}
			}
		}, func(_ stuck.Type, err error) { t.Errorf("it was refused: %v", err) })
	})
	<-opened
	<-opened
	open("gadgets 0, widgets 2, ")
	w, err := fake.Server.Watch(t.Context(), fakeapi.Widget, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	open("gadgets 0, widgets 1, ")
	w.Stop()
	w.Stop() // which counts once
	open("gadgets 0, widgets 2, ")
	stop()
	following.Wait()
	open("gadgets 0, widgets 3, ")
}
