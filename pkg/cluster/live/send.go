package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// sendLimited sends a request in its turn, and gives it as long as one may take.
func sendLimited[T any](ctx context.Context, s *Server, send func(context.Context) (T, error)) (T, error) {
	var none T
	ctx, cancel := cluster.LimitRead(ctx)
	defer cancel()
	release, err := s.acquireSlot(ctx)
	if err != nil {
		return none, err
	}
	defer release()
	ctx, stop := context.WithTimeout(ctx, s.requestTimeout)
	defer stop()
	value, err := send(ctx)
	var tooLarge *sizeError
	if errors.As(err, &tooLarge) {
		err = tooLarge // client-go would say "please retry"
	}
	return value, cluster.ReadError(ctx, err)
}

// acquireSlot waits until fewer than InFlight requests are under way, whoever asked
// for those.
func (s *Server) acquireSlot(ctx context.Context) (release func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, cluster.ReadError(ctx, ctx.Err())
	}
}

const (
	// maxRetries is how often a read is sent again that failed for a reason that
	// may have passed, after firstRetryPause and then four times that.
	maxRetries      = 2
	firstRetryPause = 50 * time.Millisecond
	// maxRetriedTime is how long a read may have taken that is sent again. What
	// failed after longer, as a webhook that does not respond does, would take as
	// long once more.
	maxRetriedTime = 5 * time.Second
)

// sendRead is sendLimited for reads, with retries: an API server that restarts
// behind a load balancer answers 503 once and is there again.
func sendRead[T any](ctx context.Context, s *Server, send func(context.Context) (T, error)) (T, error) {
	return retryRead(ctx, s, isTransientError, func() (T, error) { return sendLimited(ctx, s, send) })
}

// retryRead reads again where the first try failed early for a reason that may
// have passed. client-go does so only where the server says when to come back.
func retryRead[T any](ctx context.Context, s *Server, retryable func(error) bool, read func() (T, error)) (T, error) {
	pause := firstRetryPause
	for try := 0; ; try++ {
		start := s.clock()
		value, err := read()
		if err == nil || !retryable(err) || try == maxRetries || s.clock().Sub(start) > maxRetriedTime || !waitUnlessDone(ctx, pause) {
			return value, err
		}
		pause *= 4
	}
}

// isServerError reports whether an error is the answer of a server, or of what
// is before it, in trouble that may pass.
func isServerError(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	switch status.Status().Code {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests:
		return true
	}
	return false
}

// isTransientError reports whether an error is one of a server in trouble, or of a
// connection that broke.
func isTransientError(err error) bool {
	return isServerError(err) || utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) || errors.Is(err, io.ErrUnexpectedEOF)
}

// waitUnlessDone reports whether the context lasts for that long.
func waitUnlessDone(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// checkPathSegments refuses names that would lead to another path: of a type and
// the name "..", client-go makes the path of something else. No object has
// such a name, but an owner reference may hold one.
func checkPathSegments(names ...string) error {
	for _, name := range names {
		if faults := content.IsPathSegmentName(name); len(faults) > 0 {
			return fmt.Errorf("%q is not a valid name: it %s", name, strings.Join(faults, ", "))
		}
	}
	return nil
}
