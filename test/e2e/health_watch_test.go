package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// startTamperingProxy puts a proxy between the plugin and the API server that changes watches: request is told of each before it is sent
// on, answer of its stream before the plugin gets it.
func startTamperingProxy(t *testing.T, p *plane.Plane, request func(url.Values), answer func(*http.Response) io.ReadCloser) (address string) {
	t.Helper()
	watches := func(u *url.URL) bool { return u.Query().Get("watch") == "true" }
	proxy := reverseProxy(t, p)
	proxy.ModifyResponse = func(r *http.Response) error {
		if watches(r.Request.URL) && answer != nil {
			r.Body = answer(r)
		}
		return nil
	}
	return serveProxy(t, proxy, func(_ http.ResponseWriter, r *http.Request) bool {
		if query := r.URL.Query(); watches(r.URL) && request != nil {
			request(query)
			r.URL.RawQuery = query.Encode()
		}
		return false
	})
}

// truncateWatch ends a stream after a second.
func truncateWatch(r *http.Response) io.ReadCloser {
	time.AfterFunc(time.Second, func() { _ = r.Body.Close() }) // that it is closed is the point
	return r.Body
}

// silentBody gives nothing of a stream, nor its end, until the plugin hangs up.
type silentBody struct {
	io.ReadCloser
	hungUp <-chan struct{}
}

func (s silentBody) Read([]byte) (int, error) {
	<-s.hungUp
	return 0, io.EOF
}

func silenceWatch(r *http.Response) io.ReadCloser {
	return silentBody{r.Body, r.Request.Context().Done()}
}

// stallingBody passes a stream on for three seconds, and then falls silent until the plugin hangs up.
type stallingBody struct {
	io.ReadCloser
	disconnected, passing context.Context
}

func (h stallingBody) Read(b []byte) (int, error) {
	n, err := h.ReadCloser.Read(b)
	if h.passing.Err() == nil {
		return n, err
	}
	<-h.disconnected.Done()
	return 0, io.EOF
}

// stallWatch stops streams after a while, and sends a signal for each.
func stallWatch(silent chan<- struct{}) func(*http.Response) io.ReadCloser {
	return func(r *http.Response) io.ReadCloser {
		hungUp := r.Request.Context()
		loud, cancel := context.WithTimeout(hungUp, 3*time.Second)
		context.AfterFunc(hungUp, cancel)
		context.AfterFunc(loud, func() {
			select {
			case silent <- struct{}{}:
			case <-hungUp.Done():
			}
		})
		return stallingBody{r.Body, hungUp, loud}
	}
}

// TestHealthOfWatches breaks watches in a proxy.
func TestHealthOfWatches(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	args := []string{"limitranges", "--check", "watch", "--for", "4s", "--server"}

	t.Run("healthy", func(t *testing.T) {
		t.Parallel()
		address := startTamperingProxy(t, p, nil, nil)
		eventually(t, func() error {
			found := runHealth(t, p, plane.Admin, append(args, address)...)
			if found.code != 0 || found.State != stuck.Healthy || !strings.HasPrefix(found.Types[0].Watch, "ok") {
				return fmt.Errorf("a watch through a proxy that changes nothing is %q (%d): %+v", found.State, found.code, found.Types)
			}
			return nil
		})
	})
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		var found healthResult
		address := startTamperingProxy(t, p, nil, truncateWatch)
		eventually(t, func() error { // a busy machine may cut it too late
			found = runHealth(t, p, plane.Admin, append(args, address)...)
			return found.checkProblem(t, "watch", "limitranges", stuck.Unhealthy, "ended after", "instead of 4s", "idle timeout")
		})
		if found.code != 2 {
			t.Errorf("it ended with %d, want 2", found.code)
		}
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		found := runHealth(t, p, plane.Admin, append(args, startTamperingProxy(t, p, nil, silenceWatch))...)
		found.wantProblem(t, "watch", "limitranges", stuck.Unhealthy, "is open, but nothing arrives", "buffer responses", "they remove no finalizers")
	})
	t.Run("streamed lists without an end", func(t *testing.T) {
		t.Parallel()
		plain := func(query url.Values) { // a streamed list becomes a watch, and one without bookmarks
			if query.Get("sendInitialEvents") == "true" {
				query.Del("sendInitialEvents")
				query.Del("resourceVersionMatch")
				query.Del("allowWatchBookmarks")
			}
		}
		found := runHealth(t, p, plane.Admin, append(args, startTamperingProxy(t, p, plain, nil))...)
		found.wantProblem(t, "watch", "limitranges", stuck.Unhealthy, "the streamed list of limitranges never ends", "without the proxy before the API server")
		if text := marshalReport(t, found.HealthReport); strings.Contains(text, "kube-controller-manager leads") {
			t.Errorf("kube-controller-manager does not connect through this proxy:\n%s", text)
		}
	})
	t.Run("an informer that does not follow", func(t *testing.T) {
		t.Parallel()
		runSetup(t, p, "kubectl create namespace health-follow; kubectl create configmap first -n health-follow")
		hushed := make(chan struct{})
		address := startTamperingProxy(t, p, nil, stallWatch(hushed))
		eventually(t, func() error { // a busy machine may change it too late
			over := make(chan struct{})
			var group sync.WaitGroup
			group.Go(func() {
				select {
				case <-hushed:
					runSetup(t, p, "kubectl label configmap first -n health-follow --overwrite changed=$(date +%N)")
				case <-over:
				}
			})
			found := runHealth(t, p, plane.Admin, "configmaps", "-n", "health-follow", "--check", "informers", "--for", "12s", "--server", address)
			close(over)
			group.Wait()
			return found.checkProblem(t, "informers", "configmaps", stuck.Unhealthy, "receives no changes", "health-follow/first")
		})
	})
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		held := startRecordingProxy(t, p, func(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" })
		found := runHealth(t, p, plane.Admin, append(args, held.address)...)
		found.wantProblem(t, "watch", "limitranges", stuck.Unhealthy, "is rejected", "no answer within 5s")
	})
	t.Run("garbled", func(t *testing.T) {
		t.Parallel()
		garble := func(*http.Response) io.ReadCloser { return io.NopCloser(strings.NewReader("\x00\x00\x00\x08nonsense")) }
		found := runHealth(t, p, plane.Admin, append(args, startTamperingProxy(t, p, nil, garble))...)
		found.wantProblem(t, "watch", "limitranges", stuck.Unhealthy, "ends with an error", "unable to decode")
	})
	t.Run("forbidden", func(t *testing.T) {
		t.Parallel()
		runSetup(t, p, "kubectl create clusterrole health-lister --verb=get,list --resource=limitranges && kubectl create clusterrolebinding health-lister --clusterrole=health-lister --user=lister\nuntil kubectl auth can-i list limitranges -A --as lister; do :; done")
		found := runHealth(t, p, plane.Admin, "limitranges", "--check", "watch,informers", "--for", "4s", "--as", "lister")
		if found.State != stuck.Incomplete || len(found.check(t, "watch").Problems)+len(found.check(t, "informers").Problems) > 0 {
			t.Errorf("what may not be watched is called %q", found.State)
		}
		if text := marshalReport(t, found.HealthReport); found.code != 4 || !strings.Contains(text, "watches on limitranges: forbidden") {
			t.Errorf("it is not said that watches are forbidden (%d):\n%s", found.code, text)
		}
	})
	t.Run("everything forbidden", func(t *testing.T) {
		t.Parallel()
		wantRefused(t, p.Env(plane.Admin), badInput{"health limitranges --for 4s --as stranger", []string{"listing limitranges: ", "is forbidden", "ask for that right"}})
		wantRefused(t, p.Env(plane.Admin), badInput{"health limitranges pods -o json --for 4s --as stranger", []string{"you may not list any of 2 types: ", "is forbidden"}})
	})
	t.Run("too old", func(t *testing.T) {
		t.Parallel()
		old := func(query url.Values) { query.Set("resourceVersion", "1") }
		runSetup(t, p, newTypeScene)
		found := runHealth(t, p, plane.Admin, "young.health.example.com", "--check", "watch", "--for", "4s", "--server", startTamperingProxy(t, p, old, nil))
		found.wantProblem(t, "watch", "young.health.example.com", stuck.Warning, "could not start at the resourceVersion of the list", "list all objects again")
	})
}

// newTypeScene is a type whose watch cache begins long after the first resourceVersion.
const newTypeScene = `
kubectl create -f - <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: young.health.example.com}
spec:
  group: health.example.com
  scope: Namespaced
  names: {plural: young, singular: young, kind: Young}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
END
kubectl wait crd/young.health.example.com --for=condition=Established --timeout=5m
timeout 300 sh -c "until kubectl get young.health.example.com -A; do sleep 0.2; done"
`
