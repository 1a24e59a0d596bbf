package cmd

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const (
	// maxClustersAtOnce is how many clusters are read at the same time. Of each, up to
	// cluster.MaxConcurrentRequests requests are in flight, whose answers are in memory.
	maxClustersAtOnce = 4
	// maxWholeClustersAtOnce is for commands that keep something of each object.
	maxWholeClustersAtOnce = 2
	// extraTime is how much longer than its read budget a command may take on one cluster. It is over
	// only where something ends with no context, such as a credential plugin that hangs.
	extraTime = time.Minute
)

// forEach does some work, a few at once. It ends early when the user interrupts it.
func (o fleetOptions) forEach(ctx context.Context, n int, progress func(done int), work func(i int)) error {
	group := errgroup.Group{}
	group.SetLimit(o.atOnce)
	var mu sync.Mutex
	done := 0
	for i := range n {
		group.Go(func() error {
			if ctx.Err() == nil {
				work(i)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; progress != nil {
				progress(done)
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// readCluster runs the reads of a command on one cluster, which it may watch for some time.
func readCluster[T any](ctx context.Context, p Program, watching time.Duration, c fleetCluster, read func(context.Context, Program, fleetCluster) (T, error)) fleetResult[T] {
	var messages strings.Builder
	p.Streams = genericiooptions.IOStreams{In: p.Streams.In, Out: io.Discard, ErrOut: &messages}
	p.terminal = io.Discard // the lines of several clusters would overwrite each other
	ctx = withReadBudget(ctx, c.flags(), watching)
	value, err := withTimeLimit(ctx, readBudgetOf(c.flags())+watching+extraTime, func(ctx context.Context) (T, error) { return read(ctx, p, c) })
	result := fleetResult[T]{fleetCluster: c, value: value}
	if result.err = err; err == nil {
		result.messages = messages.String()
	}
	return result
}

// withTimeLimit gives up on work that takes too long, even if it does not end with its context: client-go
// waits for a credential plugin as long as that runs (k8s.io/client-go/plugin/pkg/client/auth/exec).
func withTimeLimit[T any](ctx context.Context, limit time.Duration, work func(context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ended := make(chan outcome, 1)
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	go func() {
		value, err := work(timed)
		ended <- outcome{value, err}
	}()
	var none T
	select {
	case o := <-ended:
		return o.value, o.err
	case <-timed.Done():
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		return none, timeLimitError(limit)
	}
}

// timeLimitError is the error of work that was given up.
type timeLimitError time.Duration

func (e timeLimitError) Error() string {
	return fmt.Sprintf("not read within %s: the API server, or the plugin for its credentials, does not respond", duration.HumanDuration(time.Duration(e)))
}
