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

// spoil puts a proxy between the plugin and the API server that spoils watches: request is told of each before it is sent
// on, answer of its stream before the plugin gets it.
func spoil(t *testing.T, p *plane.Plane, request func(url.Values), answer func(*http.Response) io.ReadCloser) (address string) {
	t.Helper()
	watches := func(u *url.URL) bool { return u.Query().Get("watch") == "true" }
	way := through(t, p)
	way.ModifyResponse = func(r *http.Response) error {
		if watches(r.Request.URL) && answer != nil {
			r.Body = answer(r)
		}
		return nil
	}
	return served(t, way, func(_ http.ResponseWriter, r *http.Request) bool {
		if query := r.URL.Query(); watches(r.URL) && request != nil {
			request(query)
			r.URL.RawQuery = query.Encode()
		}
		return false
	})
}

// cutter ends a stream after a second.
func cutter(r *http.Response) io.ReadCloser {
	time.AfterFunc(time.Second, func() { _ = r.Body.Close() }) // that it is closed is the point
	return r.Body
}

// swallower gives nothing of a stream, nor its end, until the plugin hangs up.
type swallower struct {
	io.ReadCloser
	hungUp <-chan struct{}
}

func (s swallower) Read([]byte) (int, error) {
	<-s.hungUp
	return 0, io.EOF
}

func silence(r *http.Response) io.ReadCloser { return swallower{r.Body, r.Request.Context().Done()} }

// hushed passes a stream on for three seconds, and then falls silent until the plugin hangs up.
type hushed struct {
	io.ReadCloser
	hungUp, loud context.Context
}

func (h hushed) Read(b []byte) (int, error) {
	n, err := h.ReadCloser.Read(b)
	if h.loud.Err() == nil {
		return n, err
	}
	<-h.hungUp.Done()
	return 0, io.EOF
}

// hush tells of those that have fallen silent, to whoever is there to hear it.
func hush(silent chan<- struct{}) func(*http.Response) io.ReadCloser {
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
		return hushed{r.Body, hungUp, loud}
	}
}

// TestHealthOfWatches spoils watches on their way.
func TestHealthOfWatches(t *testing.T) {
	t.Parallel()
	p := sharedPlane(t)
	args := []string{"limitranges", "--check", "watch", "--for", "4s", "--server"}

	t.Run("well", func(t *testing.T) {
		t.Parallel()
		address := spoil(t, p, nil, nil)
		eventually(t, func() error {
			found := examine(t, p, plane.Admin, append(args, address)...)
			if found.code != 0 || found.State != stuck.Well || !strings.HasPrefix(found.Types[0].Watch, "ok") {
				return fmt.Errorf("a watch that nobody spoils is %q (%d): %+v", found.State, found.code, found.Types)
			}
			return nil
		})
	})
	t.Run("cut", func(t *testing.T) {
		t.Parallel()
		var found examined
		address := spoil(t, p, nil, cutter)
		eventually(t, func() error { // a busy machine may cut it too late
			found = examine(t, p, plane.Admin, append(args, address)...)
			return found.lacks(t, "watch", "limitranges", stuck.Ill, "was cut off after", "4s were asked for", "idle timeout")
		})
		if found.code != 2 {
			t.Errorf("it ended with %d, want 2", found.code)
		}
	})
	t.Run("silent", func(t *testing.T) {
		t.Parallel()
		found := examine(t, p, plane.Admin, append(args, spoil(t, p, nil, silence))...)
		found.finding(t, "watch", "limitranges", stuck.Ill, "nothing comes through it", "holds answers back", "finalizers stay")
	})
	t.Run("an informer that does not follow", func(t *testing.T) {
		t.Parallel()
		setUp(t, p, "kubectl create namespace health-follow; kubectl create configmap first -n health-follow")
		hushed := make(chan struct{})
		address := spoil(t, p, nil, hush(hushed))
		eventually(t, func() error { // a busy machine may change it too late
			over := make(chan struct{})
			var group sync.WaitGroup
			group.Go(func() {
				select {
				case <-hushed:
					setUp(t, p, "kubectl label configmap first -n health-follow --overwrite changed=$(date +%N)")
				case <-over:
				}
			})
			found := examine(t, p, plane.Admin, "configmaps", "-n", "health-follow", "--check", "informers", "--for", "12s", "--server", address)
			close(over)
			group.Wait()
			return found.lacks(t, "informers", "configmaps", stuck.Ill, "does not follow", "health-follow/first")
		})
	})
	t.Run("no answer", func(t *testing.T) {
		t.Parallel()
		held := listen(t, p, func(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" })
		found := examine(t, p, plane.Admin, append(args, held.address)...)
		found.finding(t, "watch", "limitranges", stuck.Ill, "is refused", "no answer within 5s")
	})
	t.Run("garbled", func(t *testing.T) {
		t.Parallel()
		garble := func(*http.Response) io.ReadCloser { return io.NopCloser(strings.NewReader("\x00\x00\x00\x08nonsense")) }
		found := examine(t, p, plane.Admin, append(args, spoil(t, p, nil, garble))...)
		found.finding(t, "watch", "limitranges", stuck.Ill, "ends with an error", "unable to decode")
	})
	t.Run("forbidden", func(t *testing.T) {
		t.Parallel()
		setUp(t, p, "kubectl create clusterrole health-lister --verb=get,list --resource=limitranges && kubectl create clusterrolebinding health-lister --clusterrole=health-lister --user=lister\nuntil kubectl auth can-i list limitranges -A --as lister; do :; done")
		found := examine(t, p, plane.Admin, "limitranges", "--check", "watch,informers", "--for", "4s", "--as", "lister")
		if found.State != stuck.NotSeen || len(found.check(t, "watch").Findings)+len(found.check(t, "informers").Findings) > 0 {
			t.Errorf("what may not be watched is called %q", found.State)
		}
		if text := shown(t, found.HealthReport); found.code != 4 || !strings.Contains(text, "watches on limitranges: forbidden") {
			t.Errorf("it is not said that watches are forbidden (%d):\n%s", found.code, text)
		}
	})
	t.Run("everything forbidden", func(t *testing.T) {
		t.Parallel()
		found := examine(t, p, plane.Admin, "limitranges", "--for", "4s", "--as", "stranger")
		for _, c := range found.Checks {
			if strings.Contains(c.Summary, "0 of 0") || c.State != stuck.NotSeen {
				t.Errorf("of what nobody could see it is said that it is %q: %s: %s", c.State, c.Check, c.Summary)
			}
		}
		out, errOut, code := finalizers(t, p.Env(plane.Admin), "health", "limitranges", "--for", "4s", "--as", "stranger")
		want(t, code, 0, out+errOut, "kubectl create clusterrole finalizers-reader --verb=get,list,watch --resource=")
	})
	t.Run("too old", func(t *testing.T) {
		t.Parallel()
		old := func(query url.Values) { query.Set("resourceVersion", "1") }
		setUp(t, p, youngType)
		found := examine(t, p, plane.Admin, "young.health.example.com", "--check", "watch", "--for", "4s", "--server", spoil(t, p, old, nil))
		found.finding(t, "watch", "young.health.example.com", stuck.Doubtful, "could not begin where the list ended", "list everything again")
	})
}

// youngType is a type whose watch cache begins long after the first resourceVersion.
const youngType = `
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
