package health

import (
	"cmp"
	"context"
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

// together is how many objects the informers hold at once at most, by what the
// server tells of their number: some hundred bytes each.
const together = 20_000

// informed is how the informer on one type did.
type informed struct {
	Type    stuck.Type
	Objects int
	// Synced is how long it took to have everything, zero where it never had.
	Synced time.Duration
	// Seen and Latest are the resourceVersion that it came to and the one that
	// the server was at, at the end.
	Seen, Latest string
	// Behind says what the server has and the informer has not.
	Behind string

	mu sync.Mutex
	// Lists counts the lists that it asked for, as pages or as a stream, and
	// Watches the watches that it opened.
	Lists   int
	Watches int
	// Errors are what went wrong, in order.
	Errors []error
	// down says that its last request failed.
	down   bool
	stream bool
}

// told notes a request. A stream that the server does not offer is followed by
// a list in pages: together they are one attempt.
func (i *informed) told(watch bool, options metav1.ListOptions, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	stream := options.SendInitialEvents != nil
	if watch && err == nil {
		i.Watches++
	}
	if stream || !watch && options.Continue == "" && !i.stream {
		i.Lists++
	}
	if err != nil && !stream {
		i.Errors = append(i.Errors, err)
	}
	i.down, i.stream = err != nil, stream && err != nil
}

// failed notes an error of a stream that was open, such as one that it cannot
// decode.
func (i *informed) failed(err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.Errors = append(i.Errors, err)
}

// again says how often it had to watch, or list, once more: no watch comes to
// its natural end within five minutes (client-go's reflector).
func (i *informed) again() int { return max(0, i.Lists-1, i.Watches-1) }

// interrupted says whether anything came between it and the server.
func (i *informed) interrupted() bool { return len(i.Errors) > 0 || i.again() > 0 }

// forbidden says whether it fails for want of a right.
func (i *informed) forbidden() bool {
	return len(i.Errors) > 0 && apierrors.IsForbidden(i.Errors[len(i.Errors)-1])
}

// checkInformers runs an informer on each type, as a controller would.
func checkInformers(ctx context.Context, e *examination, types *types) stuck.CheckUp {
	batches := e.batches()
	var all []*informed
	for _, batch := range batches {
		all = append(all, e.runInformers(ctx, batch, types, e.For/time.Duration(len(batches)))...)
	}
	out := stuck.CheckUp{Incomplete: e.unlisted()}
	objects, synced := 0, 0
	var slowest *informed
	slices.SortFunc(all, func(a, b *informed) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	for _, i := range all {
		if i.forbidden() {
			out.Incomplete = true
			e.see.Unwatched(i.Type)
			continue
		}
		if a, bad := informerAilment(i, e.For); bad {
			out.Ailments = append(out.Ailments, a)
		}
		if i.Synced > 0 && !i.down {
			synced++
			objects += i.Objects
			if slowest == nil || i.Synced > slowest.Synced {
				slowest = i
			}
		}
	}
	out.Summary = fmt.Sprintf("%d of %s in sync, %s", synced, counted(len(all), "informer"), counted(objects, "object"))
	if slowest != nil {
		out.Summary += fmt.Sprintf("; the slowest took %s (%s)", slowest.Synced.Round(time.Millisecond), slowest.Type)
	}
	return out
}

// batches are the types that can be listed, as many at a time as memory is to
// be spent on. The smallest come first and share a batch.
func (e *examination) batches() [][]listed {
	var all []listed
	for _, l := range e.listed {
		if l.watchable() {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(a, b listed) int { return int(a.objects() - b.objects()) })
	batches := [][]listed{nil}
	var n int64
	for _, l := range all {
		last := len(batches) - 1
		if n += l.objects(); n > together && len(batches[last]) > 0 {
			batches, n = append(batches, nil), l.objects()
			last++
		}
		batches[last] = append(batches[last], l)
	}
	return batches
}

// runInformers runs the informers of one batch for a while. Each has as long to
// get in sync, from when its turn comes.
func (e *examination) runInformers(ctx context.Context, batch []listed, types *types, atLeast time.Duration) []*informed {
	// An empty logger says nothing: what reflectors have to say is in the report.
	ctx, cancel := context.WithCancel(klog.NewContext(ctx, klog.Logger{}))
	defer cancel()
	share, done := context.WithTimeout(ctx, atLeast)
	defer done()
	out := make([]*informed, len(batch))
	var synced, running sync.WaitGroup
	turns := make(chan struct{}, cluster.InFlight)
	for n, l := range batch {
		turns <- struct{}{}
		out[n] = &informed{Type: l.Type}
		informer := e.informer(l.Type, out[n])
		since := e.Clock()
		running.Go(func() { informer.RunWithContext(ctx) })
		synced.Go(func() {
			// One that takes long lets the next begin.
			next := time.AfterFunc(answerTime/2, func() { <-turns })
			given, over := context.WithTimeout(ctx, e.For)
			defer over()
			select {
			case <-informer.HasSyncedChecker().Done():
				out[n].Synced = e.Clock().Sub(since)
				if next.Stop() {
					<-turns
				}
				<-share.Done()
				e.compare(ctx, informer, out[n])
			case <-given.Done():
			}
			out[n].Objects = len(informer.GetStore().ListKeys())
			types.note(l.Type, out[n].note)
		})
	}
	synced.Wait()
	cancel()
	running.Wait()
	return out
}

// informer is a shared informer on the metadata of a type, whose store keeps no
// more of an object than its name and version.
func (e *examination) informer(t stuck.Type, i *informed) cache.SharedIndexInformer {
	informer := cache.NewSharedIndexInformerWithOptions(e.server.ListWatch(t, e.Namespace, i.told), &metav1.PartialObjectMetadata{}, cache.SharedIndexInformerOptions{})
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
	_ = informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) { i.failed(err) })
	return informer
}

// note notes how the informer did.
func (i *informed) note(h *stuck.TypeHealth) {
	i.mu.Lock()
	defer i.mu.Unlock()
	h.SyncSeconds, h.Relists, h.WatchErrors = seconds(i.Synced), max(0, i.Lists-1), len(i.Errors)
	h.LastSeen, h.Latest = i.Seen, i.Latest
	switch {
	case i.Synced == 0:
		h.Informer = "never in sync"
	case i.forbidden():
		h.Informer = "may not watch"
	case i.down:
		h.Informer = "lost its watch"
	case i.Behind != "":
		h.Informer = "behind"
	case i.interrupted():
		h.Informer = "recovered"
	default:
		h.Informer = "ok"
	}
}
