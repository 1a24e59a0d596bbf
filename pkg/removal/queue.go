package removal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
)

// How often something is tried, and how long it waits in between: half a minute
// altogether, which an API server needs to restart, or as long as it asks for.
const (
	maxAttempts    = 8
	initialBackoff = 250 * time.Millisecond
	maxBackoff     = 30 * time.Second
)

// runQueue does items side by side: a few workers take them from a rate-limited
// queue. What do returns is why an item has to be tried again, later; nil means
// that it has ended, with success or without. A canceled context stops what has not
// begun. onDone is called for each item that has ended, one at a time.
func runQueue(ctx context.Context, items []int, do func(context.Context, int) error, onDone func(item int)) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[int](initialBackoff, maxBackoff)
	queue := workqueue.NewTypedRateLimitingQueue(limiter)
	for _, i := range items {
		queue.Add(i)
	}
	remaining := atomic.Int64{}
	remaining.Store(int64(len(items)))
	if len(items) == 0 {
		queue.ShutDown()
	}
	defer context.AfterFunc(ctx, queue.ShutDown)()
	var progressLock sync.Mutex
	process := func(i int) {
		defer queue.Done(i)
		if ctx.Err() != nil {
			return
		}
		if retry := do(ctx, i); retry != nil && limiter.NumRequeues(i) < maxAttempts-1 {
			queue.AddAfter(i, max(limiter.When(i), retryAfter(retry)))
			return
		}
		progressLock.Lock()
		onDone(i)
		progressLock.Unlock()
		if remaining.Add(-1) == 0 {
			queue.ShutDown()
		}
	}
	var workers sync.WaitGroup
	for range cluster.MaxConcurrentRequests {
		workers.Go(func() {
			for {
				i, closed := queue.Get()
				if closed {
					return
				}
				process(i)
			}
		})
	}
	workers.Wait()
}

// retryAfter is how long the API server asks to be left alone.
func retryAfter(err error) time.Duration {
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return time.Duration(seconds) * time.Second
}

// retryableError returns an error that may not occur the next time, and nil for any other: the
// API server is too busy or in trouble, does not respond, or has the object in
// another state by now. An unreachable webhook is not retried; nor is what is wrong
// with the local disk, or with the object.
func retryableError(err error) error {
	var answer apierrors.APIStatus
	switch {
	case isNetworkError(err), apierrors.IsConflict(err):
		return err
	case !errors.As(err, &answer):
		return nil
	case answer.Status().Code == http.StatusTooManyRequests,
		answer.Status().Code >= http.StatusInternalServerError && !apitext.IsWebhookFailure(err):
		return err
	}
	return nil
}

// isNetworkError reports whether an error is one of the way to the API server: it
// could not be reached, or its answer did not arrive. What is wrong with our own
// disk mentions system calls too.
func isNetworkError(err error) bool {
	var answer apierrors.APIStatus
	var network net.Error
	switch {
	case errors.As(err, &answer), errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)):
		return false
	case errors.As(err, &network), errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return true
	}
	return apitext.IsIncompleteResponse(err)
}

// hasNoResponse reports whether a request was sent and its answer did not arrive.
func hasNoResponse(err error) bool {
	var answer apierrors.APIStatus
	return err != nil && !errors.As(err, &answer) && !errors.Is(err, errNotSent)
}

// mayBeWritten reports whether a write may have been done although it ended with an
// error: its answer did not arrive, or is an error of the API server, of its etcd or
// of a gateway, which may come after the write. Admission comes before it.
func mayBeWritten(err error) bool {
	var answer apierrors.APIStatus
	return hasNoResponse(err) || errors.As(err, &answer) &&
		answer.Status().Code >= http.StatusInternalServerError && apitext.RejectionFromError(err) == nil
}
