package removal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// startTime is when time begins in a bubble (testing/synctest).
var startTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

var crates = schema.GroupResource{Group: "example.com", Resource: "crates"}

// statusError is what the API server's answer of a code becomes, in which it asks for some seconds.
func statusError(code, seconds int) error {
	return apierrors.NewGenericServerResponse(code, "PATCH", crates, "a", "later", seconds, true)
}

// TestWorkWaits holds that an item is tried again after as long as the API server asks for, that the pauses grow
// otherwise, and that there is an end to it.
func TestWorkWaits(t *testing.T) {
	for name, test := range map[string]struct {
		answers []error
		want    []time.Duration
	}{
		"good":        {[]error{nil}, []time.Duration{0}},
		"as it asks":  {[]error{statusError(429, 7), statusError(503, 90), nil}, []time.Duration{0, 7 * time.Second, 97 * time.Second}},
		"longer":      {[]error{statusError(500, 0), statusError(500, 0), nil}, []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond}},
		"in the end":  {slices.Repeat([]error{statusError(503, 0)}, 20), []time.Duration{0, 250e6, 750e6, 1750e6, 3750e6, 7750e6, 15750e6, 31750e6}},
		"asks little": {[]error{statusError(500, 0), statusError(500, 0), statusError(500, 0), statusError(429, 1), nil}, []time.Duration{0, 250e6, 750e6, 1750e6, 3750e6}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := 0
				var tries []time.Duration
				runQueue(t.Context(), []int{1}, func(context.Context, int) error {
					tries = append(tries, time.Since(startTime))
					return test.answers[len(tries)-1]
				}, func(int) { ended++ })
				if !slices.Equal(tries, test.want) || ended != 1 {
					t.Errorf("it was tried at %v, want %v; %d ends", tries, test.want, ended)
				}
			})
		})
	}
}

// TestWorkIsBounded holds that a few items are done at once, and each once.
func TestWorkIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		items := make([]int, 200)
		for i := range items {
			items[i] = i
		}
		done := map[int]int{}
		runQueue(t.Context(), items, func(context.Context, int) error {
			most.Store(max(most.Load(), now.Add(1)))
			<-time.After(time.Second)
			now.Add(-1)
			return nil
		}, func(i int) { done[i]++ })
		if most.Load() != cluster.MaxConcurrentRequests || len(done) != 200 {
			t.Errorf("%d at once, %d done", most.Load(), len(done))
		}
	})
}

// TestWorkStops requires that nothing is begun, and nothing is waited for, once the context is canceled.
func TestWorkStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		tries := 0
		runQueue(ctx, []int{1}, func(context.Context, int) error {
			tries++
			time.AfterFunc(3*time.Second, cancel)
			return statusError(429, 600)
		}, func(int) { t.Error("it ended") })
		if tries != 1 || time.Since(startTime) != 3*time.Second {
			t.Errorf("tried %d times, in %s", tries, time.Since(startTime))
		}
	})
}

// TestPassing distinguishes errors that may pass from those that last.
func TestPassing(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"nothing":      {nil, false},
		"too busy":     {statusError(429, 1), true},
		"bad gateway":  {statusError(502, 0), true},
		"timeout":      {statusError(504, 0), true},
		"internal":     {apierrors.NewInternalError(errors.New("etcdserver: leader changed")), true},
		"conflict":     {apierrors.NewConflict(crates, "a", errors.New("modified")), true},
		"hung up":      {&url.Error{Op: "Patch", Err: errors.New("connection reset by peer")}, true},
		"dead webhook": {apierrors.NewInternalError(errors.New(`failed calling webhook "x": connection refused`)), false},
		"forbidden":    {apierrors.NewForbidden(crates, "a", errors.New("no")), false},
		"taken":        {apierrors.NewAlreadyExists(crates, "a"), false},
		"gone":         {apierrors.NewNotFound(crates, "a"), false},
		"full disk":    {&fs.PathError{Op: "write", Err: errors.New("no space left on device")}, false},
		"disk of old":  {&os.LinkError{Op: "rename", Err: syscall.ENOSPC}, false},
		"not written":  {fmt.Errorf("saving: %w", errors.New("yaml: control characters are not allowed")), false},
		"not sent":     {fmt.Errorf("%w: writing down", errNotSent), false},
		"cut answer":   {fmt.Errorf("unexpected error when reading response body. Please retry. Original error: %w", errors.New("http2: gone")), true},
		"cut short":    {io.ErrUnexpectedEOF, true},
		"no answer":    {context.DeadlineExceeded, true},
		"not valid":    {statusError(http.StatusUnprocessableEntity, 0), false},
	} {
		if got := retryableError(test.err); (got != nil) != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
