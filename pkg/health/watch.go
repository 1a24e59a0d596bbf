package health

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// maxOpening is how many watches are requested at once; an open one costs the API
	// server little.
	maxOpening = cluster.MaxConcurrentRequests
	// openTimeout is how long an API server may take to open a watch.
	openTimeout = 5 * time.Second
	// lateTolerance is how much later than requested a watch may end, and earlyTolerance how
	// much sooner: a whole second is lost to rounding.
	lateTolerance  = 3 * time.Second
	earlyTolerance = 1500 * time.Millisecond
)

// watchResult is the result of the watch on one type.
type watchResult struct {
	Type stuck.Type
	// Fault is what is wrong, empty where nothing is.
	Fault watchFault
	// Err is the error of the API server, if any.
	Err error
	// FirstEvent is when the first event or bookmark arrived, zero where none did.
	FirstEvent time.Duration
	// Ended is when the watch ended.
	Ended time.Duration
	// Interrupted says that the user ended it, and Opened that it was open then.
	Interrupted, Opened bool
}

// watchFault is what is wrong with a watch.
type watchFault string

const (
	faultRejected watchFault = "rejected"
	faultExpired  watchFault = "expired"
	faultFailed   watchFault = "failed"
	faultCut      watchFault = "cut"
	faultSilent   watchFault = "silent"
	// faultForbidden is no fault of the watch: other users may be allowed to watch.
	faultForbidden watchFault = "forbidden"
)

// checkWatch watches each type for a while. A watch with bookmarks gets one two seconds
// before its timeout (k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go): a watch
// without an event, a bookmark or an end by then is silent.
func checkWatch(ctx context.Context, c *checker, types *typeResults) stuck.Check {
	slots := make(chan struct{}, maxOpening)
	var mu sync.Mutex
	var wait sync.WaitGroup
	var faulty []watchResult
	var unwatched []stuck.Type
	active, open, unopened := 0, 0, 0
	for _, l := range c.lists {
		if !l.isWatchable() {
			continue
		}
		open++
		wait.Go(func() {
			w := c.watchType(ctx, l, slots)
			types.record(l.Type, w.record)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case w.Fault == faultForbidden:
				unwatched = append(unwatched, w.Type)
			case w.Fault != "":
				faulty = append(faulty, w)
			case w.Interrupted && !w.Opened:
				unopened++
			case w.FirstEvent > 0:
				active++
			}
		})
	}
	streams := c.streams()
	wait.Wait()
	out := stuck.Check{Incomplete: c.hasListFailures() || len(unwatched) > 0}
	if ctx.Err() == nil {
		out.Incomplete = c.addStreamGaps(streams, faulty) || out.Incomplete
	}
	c.view.AddWatchGaps(unwatched...)
	slices.SortFunc(faulty, func(a, b watchResult) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	for _, w := range faulty {
		out.Problems = append(out.Problems, c.watchProblem(w))
	}
	out.Problems = append(out.Problems, c.endlessStreams(ctx, streams, faulty)...)
	out.Summary = fmt.Sprintf("%d of %s %s", open-len(faulty)-len(unwatched)-unopened, countWatches(open), c.watchedText(ctx))
	out.Details = []string{fmt.Sprintf("%d received an event or a bookmark", active), streamSummary(streams)}
	return out
}

// watchedText says how long the watches were open.
func (c *checker) watchedText(ctx context.Context) string {
	if ctx.Err() != nil {
		return "open until then"
	}
	return fmt.Sprintf("stayed open for %s", c.Duration)
}

// watchType watches one type until the timeout.
func (c *checker) watchType(whole context.Context, l listResult, slots chan struct{}) watchResult {
	slots <- struct{}{}
	taken := true
	release := func() {
		if taken {
			<-slots
			taken = false
		}
	}
	defer release()
	ctx, cancel := context.WithTimeout(whole, c.Duration+lateTolerance)
	defer cancel()
	unanswered := time.AfterFunc(openTimeout, cancel)
	since := c.Clock()
	wanted := int64(math.Ceil(c.Duration.Seconds()))
	w, err := c.server.Watch(ctx, l.Type, c.Namespace, metav1.ListOptions{
		ResourceVersion: l.First.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &wanted,
	})
	answered := unanswered.Stop()
	release()
	if err == nil {
		defer w.Stop()
	}
	if whole.Err() != nil && !isAnswer(err) {
		return watchResult{Type: l.Type, Interrupted: true}
	}
	if !answered { // then this program canceled the context
		err = fmt.Errorf("no answer within %s", openTimeout)
	}
	if err != nil {
		return watchResult{Type: l.Type, Fault: faultOf(err, faultRejected), Err: err}
	}
	out := c.readEvents(ctx, w, l.Type, since)
	switch {
	case out.Fault != "":
	case whole.Err() != nil:
		out.Interrupted, out.Opened = true, true
	case ctx.Err() != nil && out.FirstEvent == 0:
		out.Fault = faultSilent
	case ctx.Err() == nil && out.Ended < time.Duration(wanted)*time.Second-earlyTolerance:
		out.Fault = faultCut
	}
	return out
}

// readEvents waits for the first event and for the end. Where this program cancels the
// context, client-go reports an error as an event, which does not count.
func (c *checker) readEvents(ctx context.Context, w watch.Interface, t stuck.Type, since time.Time) watchResult {
	out := watchResult{Type: t}
	for event := range w.ResultChan() {
		if event.Type == watch.Error && ctx.Err() != nil {
			break
		}
		out.FirstEvent = cmp.Or(out.FirstEvent, c.Clock().Sub(since))
		if event.Type == watch.Error {
			out.Err = apierrors.FromObject(event.Object)
			out.Fault = faultOf(out.Err, faultFailed)
			break
		}
	}
	out.Ended = c.Clock().Sub(since)
	return out
}

// faultOf is the fault that an error is.
func faultOf(err error, otherwise watchFault) watchFault {
	switch {
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
		return faultExpired
	case apierrors.IsForbidden(err):
		return faultForbidden
	}
	return otherwise
}

// record notes the result of the watch.
func (w watchResult) record(h *stuck.TypeHealth) {
	h.FirstEventSeconds = seconds(w.FirstEvent)
	switch {
	case w.Err != nil:
		h.Watch = string(w.Fault) + ": " + apitext.ErrorMessage(w.Err)
	case w.Fault == faultCut:
		h.Watch = fmt.Sprintf("ended after %s", w.Ended.Round(time.Millisecond))
	case w.Fault != "":
		h.Watch = string(w.Fault)
	case w.Interrupted:
		h.Watch = "interrupted"
	case w.FirstEvent > 0:
		h.Watch = "ok"
	default:
		h.Watch = "ok, without bookmarks"
	}
}

func countWatches(n int) string {
	if n == 1 {
		return "1 watch"
	}
	return fmt.Sprintf("%d watches", n)
}
