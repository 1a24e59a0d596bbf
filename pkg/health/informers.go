package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxInformerObjects is how many objects the informers hold at once at most, by the count
// that the API server gives: some hundred bytes each.
const maxInformerObjects = 20_000

// informerResult is the result of the informer of one type.
type informerResult struct {
	Type    stuck.Type
	Objects int
	// SyncDuration is how long it took to sync, zero where it did not.
	SyncDuration time.Duration
	// LastVersion and Latest are the resourceVersion that it came to and the one that
	// the server was at, at the end.
	LastVersion, ServerVersion string
	// Behind says what the API server has and the informer does not have.
	Behind string

	mu sync.Mutex
	// Lists counts the lists that it asked for, as pages or as a stream, and
	// Watches the watches that it opened.
	Lists   int
	Watches int
	// Errors are what went wrong, in order.
	Errors []error
	// disconnected says that its last request failed.
	disconnected bool
	streamFailed bool
	// streaming says that its last request was a streamed list, which the server accepted.
	streaming bool
	// interrupted says that the user ended it.
	interrupted bool
}

// onRequest notes a request. A stream that the server does not offer is followed by
// a list in pages: together they are one attempt.
func (i *informerResult) onRequest(watch bool, options metav1.ListOptions, err error) {
	if errors.Is(err, context.Canceled) { // this program ended it
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	stream := options.SendInitialEvents != nil
	if watch && err == nil {
		i.Watches++
	}
	if stream || !watch && options.Continue == "" && !i.streamFailed {
		i.Lists++
	}
	if err != nil && !stream {
		i.Errors = append(i.Errors, err)
	}
	i.disconnected, i.streamFailed, i.streaming = err != nil, stream && err != nil, stream && err == nil
}

// onError notes an error of a stream that was open, such as one that it cannot
// decode.
func (i *informerResult) onError(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.Errors = append(i.Errors, err)
}

// retries is how often it had to watch or list again: no watch ends by itself within
// five minutes (client-go's reflector).
func (i *informerResult) retries() int { return max(0, i.Lists-1, i.Watches-1) }

// wasInterrupted reports whether a request failed or had to be repeated.
func (i *informerResult) wasInterrupted() bool { return len(i.Errors) > 0 || i.retries() > 0 }

// isForbidden reports whether its last request was forbidden.
func (i *informerResult) isForbidden() bool {
	return len(i.Errors) > 0 && apierrors.IsForbidden(i.Errors[len(i.Errors)-1])
}

// checkInformers runs an informer on each type, as controllers do.
func checkInformers(ctx context.Context, c *checker, types *typeResults) stuck.Check {
	batches := c.informerBatches()
	var all []*informerResult
	for _, batch := range batches {
		all = append(all, c.runInformers(ctx, batch, types, c.Duration/time.Duration(len(batches)))...)
	}
	out := stuck.Check{Incomplete: c.hasListFailures()}
	objects, synced := 0, 0
	var slowest *informerResult
	slices.SortFunc(all, func(a, b *informerResult) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	for _, i := range all {
		if i.isForbidden() {
			out.Incomplete = true
			c.view.AddWatchGaps(i.Type)
			continue
		}
		if a, bad := c.informerProblem(i); bad && !i.interrupted {
			out.Problems = append(out.Problems, a)
		}
		if i.SyncDuration > 0 && !i.disconnected {
			synced++
			objects += i.Objects
			if slowest == nil || i.SyncDuration > slowest.SyncDuration {
				slowest = i
			}
		}
	}
	out.Summary = fmt.Sprintf("%d of %s synced", synced, stuck.Count(len(all), "informer"))
	out.Details = []string{stuck.Count(objects, "object")}
	if slowest != nil {
		out.Details = append(out.Details, fmt.Sprintf("slowest sync: %s (%s)", slowest.SyncDuration.Round(time.Millisecond), slowest.Type))
	}
	return out
}

// informerBatches are the types that can be listed, in batches that bound the memory. The
// smallest come first and share a batch.
func (c *checker) informerBatches() [][]listResult {
	var all []listResult
	for _, l := range c.lists {
		if l.isWatchable() {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b listResult) int { return int(a.objectCount() - b.objectCount()) })
	batches := [][]listResult{nil}
	var n int64
	for _, l := range all {
		last := len(batches) - 1
		if n += l.objectCount(); n > maxInformerObjects && len(batches[last]) > 0 {
			batches, n = append(batches, nil), l.objectCount()
			last++
		}
		batches[last] = append(batches[last], l)
	}
	return batches
}

// runInformers runs the informers of one batch for a while. Each has as long to
// get in sync, from when its turn comes.
func (c *checker) runInformers(ctx context.Context, batch []listResult, types *typeResults, atLeast time.Duration) []*informerResult {
	// An empty logger prints nothing: the errors of reflectors are in the report.
	ctx, cancel := context.WithCancel(klog.NewContext(ctx, klog.Logger{}))
	defer cancel()
	batchCtx, cancelBatch := context.WithTimeout(ctx, atLeast)
	defer cancelBatch()
	out := make([]*informerResult, len(batch))
	var synced, running sync.WaitGroup
	slots := make(chan struct{}, cluster.MaxConcurrentRequests)
	started := 0
	for n, l := range batch {
		if !acquire(ctx, slots) {
			break
		}
		started++
		out[n] = &informerResult{Type: l.Type}
		informer := c.newInformer(l.Type, out[n])
		since := c.Clock()
		running.Go(func() { informer.RunWithContext(ctx) })
		synced.Go(func() {
			// A slow one does not delay the next.
			next := time.AfterFunc(openTimeout/2, func() { <-slots })
			syncCtx, cancelSync := context.WithTimeout(ctx, c.Duration)
			defer cancelSync()
			select {
			case <-informer.HasSyncedChecker().Done():
				out[n].SyncDuration = c.Clock().Sub(since)
				if next.Stop() {
					<-slots
				}
				<-batchCtx.Done()
				c.compareWithServer(ctx, informer, out[n])
			case <-syncCtx.Done():
			}
			out[n].Objects = len(informer.GetStore().ListKeys())
			out[n].interrupted = ctx.Err() != nil
			types.record(l.Type, out[n].record)
		})
	}
	synced.Wait()
	cancel()
	running.Wait()
	return out[:started]
}

// acquire waits for a slot, and reports whether there is one before the context ends.
func acquire(ctx context.Context, slots chan<- struct{}) bool {
	select {
	case slots <- struct{}{}:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// newInformer is a shared informer on the metadata of a type, whose store keeps no
// more of an object than its name and version.
func (c *checker) newInformer(t stuck.Type, i *informerResult) cache.SharedIndexInformer {
	informer := cache.NewSharedIndexInformerWithOptions(c.server.ListWatch(t, c.Namespace, i.onRequest), &metav1.PartialObjectMetadata{}, cache.SharedIndexInformerOptions{})
	// Both fail only for an informer that runs already.
	_ = informer.SetTransform(func(object any) (any, error) {
		m, ok := object.(*metav1.PartialObjectMetadata)
		if !ok {
			return object, nil
		}
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion,
		}}, nil
	})
	_ = informer.SetWatchErrorHandlerWithContext(func(ctx context.Context, _ *cache.Reflector, err error) {
		if ctx.Err() == nil { // this program ended the others
			i.onError(err)
		}
	})
	return informer
}

// record notes the result of the informer.
func (i *informerResult) record(h *stuck.TypeHealth) {
	i.mu.Lock()
	defer i.mu.Unlock()
	h.SyncSeconds, h.Relists, h.WatchErrors = seconds(i.SyncDuration), max(0, i.Lists-1), len(i.Errors)
	h.InformerVersion, h.ServerVersion = i.LastVersion, i.ServerVersion
	switch {
	case i.interrupted:
		h.Informer = "interrupted"
	case i.SyncDuration == 0:
		h.Informer = "not synced"
	case i.isForbidden():
		h.Informer = "forbidden"
	case i.disconnected:
		h.Informer = "watch lost"
	case i.Behind != "":
		h.Informer = "behind"
	case i.wasInterrupted():
		h.Informer = "recovered"
	default:
		h.Informer = "ok"
	}
}
