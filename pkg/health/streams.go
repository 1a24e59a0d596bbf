package health

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// initialEventsEnd marks the bookmark behind the last object of a streamed list
// (KEP-3157).
const initialEventsEnd = "k8s.io/initial-events-end"

const (
	// streamIdle is how long nothing of a streamed list may arrive: after as long the
	// reflector itself warns that the bookmark is missing
	// (initialEventsEndBookmarkWarningInterval in client-go/tools/cache/reflector.go).
	streamIdle = 10 * time.Second
	// maxStreamedObjects is how many objects a type may have that stands for its group.
	maxStreamedObjects = 2_000
)

// streamState is how a streamed list ended.
type streamState int

const (
	// streamUnknown is a stream that broke off, or did not come to its end in time.
	streamUnknown streamState = iota
	// streamEnds came to the bookmark behind the last object.
	streamEnds
	// streamEndless stayed open, and neither an object nor the bookmark arrived any more.
	streamEndless
	// streamRejected is a server that answers such a request with an error: clients then
	// list in pages, and nothing is wrong (ListAndWatchWithContext in
	// k8s.io/client-go/tools/cache/reflector.go).
	streamRejected
)

// streamResult is the result of the streamed list of one type.
type streamResult struct {
	Type stuck.Type
	// Service is the Service of the extension server that serves the type, nil for types
	// of the API server itself.
	Service *cluster.ServiceReference
	State   streamState
	// Objects is how many objects arrived.
	Objects int
	Err     error
}

// probeStreams streams the list of each type that an extension server serves, and of the
// smallest type of each other group: all types of those come from one storage.
func (c *checker) probeStreams(ctx context.Context) map[schema.GroupVersionResource]streamResult {
	out := map[schema.GroupVersionResource]streamResult{}
	var mu sync.Mutex
	group := errgroup.Group{}
	group.SetLimit(cluster.MaxConcurrentRequests)
	for _, probe := range c.streamsToProbe() {
		group.Go(func() error {
			c.readStream(ctx, &probe)
			mu.Lock()
			defer mu.Unlock()
			out[probe.Type.GVR()] = probe
			return nil
		})
	}
	_ = group.Wait() // each error is kept with its type
	return out
}

// streamsToProbe are the types whose lists are streamed.
func (c *checker) streamsToProbe() []streamResult {
	behind := map[schema.GroupVersion]*cluster.ServiceReference{}
	for _, s := range c.view.APIServices().Items {
		behind[schema.GroupVersion{Group: s.Spec.Group, Version: s.Spec.Version}] = s.Spec.Service
	}
	var out []streamResult
	smallest := map[string]listResult{}
	for _, l := range c.lists {
		if !l.isWatchable() {
			continue
		}
		if service := behind[l.Type.GVR().GroupVersion()]; service != nil {
			out = append(out, streamResult{Type: l.Type, Service: service})
			continue
		}
		if least, ok := smallest[l.Type.Group]; l.objectCount() <= maxStreamedObjects && (!ok || l.objectCount() < least.objectCount()) {
			smallest[l.Type.Group] = l
		}
	}
	for _, l := range smallest {
		out = append(out, streamResult{Type: l.Type})
	}
	return out
}

// readStream requests a list as a stream, as informers do from client-go 1.35 on, and reads
// it to the bookmark that ends it.
func (c *checker) readStream(ctx context.Context, r *streamResult) {
	limit := c.Duration + streamIdle
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var idle atomic.Bool
	timer := time.AfterFunc(streamIdle, func() {
		idle.Store(true)
		cancel()
	})
	defer timer.Stop()
	stream, timeout := true, int64(math.Ceil(limit.Seconds()))+1
	w, err := c.server.Watch(ctx, r.Type, c.Namespace, metav1.ListOptions{
		SendInitialEvents: &stream, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, TimeoutSeconds: &timeout,
	})
	if err != nil {
		r.fail(err)
		return
	}
	defer w.Stop()
	timer.Reset(streamIdle)
	for event := range w.ResultChan() {
		switch {
		case event.Type == watch.Error && ctx.Err() != nil: // this program ended it
		case event.Type == watch.Error:
			r.fail(apierrors.FromObject(event.Object))
			return
		case endsInitialEvents(event):
			r.State = streamEnds
			return
		default:
			r.Objects++
			timer.Reset(streamIdle)
		}
	}
	if idle.Load() {
		r.State = streamEndless
	}
}

// fail notes the error of a server. Clients repeat a request that was throttled, and of one that
// is forbidden the right of others is not known.
func (r *streamResult) fail(err error) {
	r.Err = err
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && !apierrors.IsTooManyRequests(err) && !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err) {
		r.State = streamRejected
	}
}

// endsInitialEvents reports whether an event is the bookmark behind the last object.
func endsInitialEvents(event watch.Event) bool {
	m, ok := event.Object.(*metav1.PartialObjectMetadata)
	return ok && event.Type == watch.Bookmark && m.Annotations[initialEventsEnd] == "true"
}
