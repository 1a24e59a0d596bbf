package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// opening is how many watches are asked for at once; an open one costs the
	// API server little.
	opening = cluster.InFlight
	// answerTime is how long an API server may take to open a watch.
	answerTime = 5 * time.Second
	// late is how much later than asked for a watch may end, and early how much
	// sooner, before that is a fault: a whole second is lost to rounding.
	late  = 3 * time.Second
	early = 1500 * time.Millisecond
)

// watched is how the watch on one type went.
type watched struct {
	Type stuck.Type
	// Fault is what went wrong, empty where nothing did.
	Fault fault
	// Err is what the API server said, where it said something.
	Err error
	// First is when the first event or bookmark came, zero where none did.
	First time.Duration
	// Ended is when the watch came to its end.
	Ended time.Duration
}

// fault is a way in which a watch goes wrong.
type fault string

const (
	refused fault = "refused"
	expired fault = "expired"
	failed  fault = "failed"
	cut     fault = "cut"
	silent  fault = "silent"
	// forbidden is no fault of the watch: others may well be allowed it.
	forbidden fault = "forbidden"
)

// checkWatch watches each type for a while. Before its end every watch that
// was asked for with bookmarks gets one, two seconds before its time is up
// (k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go): whatever is neither
// heard nor ended by then has fallen silent.
func checkWatch(ctx context.Context, e *examination, types *types) stuck.CheckUp {
	turns := make(chan struct{}, opening)
	var mu sync.Mutex
	var wait sync.WaitGroup
	var faulty []watched
	var unwatched []stuck.Type
	heard, open := 0, 0
	for _, l := range e.listed {
		if !l.watchable() {
			continue
		}
		open++
		wait.Go(func() {
			w := e.watchType(ctx, l, turns)
			types.note(l.Type, w.note)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case w.Fault == forbidden:
				unwatched = append(unwatched, w.Type)
			case w.Fault != "":
				faulty = append(faulty, w)
			case w.First > 0:
				heard++
			}
		})
	}
	streaming := e.streams(ctx)
	wait.Wait()
	out := stuck.CheckUp{Incomplete: e.unlisted() || len(unwatched) > 0}
	e.see.Unwatched(unwatched...)
	slices.SortFunc(faulty, func(a, b watched) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
	for _, w := range faulty {
		out.Ailments = append(out.Ailments, e.watchAilment(w))
	}
	out.Summary = fmt.Sprintf("%d of %s held for %s, %d brought an event or a bookmark; %s", open-len(faulty)-len(unwatched), watches(open), e.For, heard, streaming)
	return out
}

// watchType watches one type to the end of its time.
func (e *examination) watchType(ctx context.Context, l listed, turns chan struct{}) watched {
	turns <- struct{}{}
	taken := true
	release := func() {
		if taken {
			<-turns
			taken = false
		}
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, e.For+late)
	defer cancel()
	unanswered := time.AfterFunc(answerTime, cancel)
	since := e.Clock()
	wanted := int64(math.Ceil(e.For.Seconds()))
	w, err := e.server.Watch(ctx, l.Type, e.Namespace, metav1.ListOptions{
		ResourceVersion: l.First.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &wanted,
	})
	answered := unanswered.Stop()
	release()
	if err != nil {
		if !answered {
			err = fmt.Errorf("no answer within %s", answerTime)
		}
		return watched{Type: l.Type, Fault: kindOf(err, refused), Err: err}
	}
	defer w.Stop()
	out := e.listen(w, l.Type, since)
	switch {
	case out.Fault != "":
	case ctx.Err() != nil && out.First == 0:
		out.Fault = silent
	case ctx.Err() == nil && out.Ended < time.Duration(wanted)*time.Second-early:
		out.Fault = cut
	}
	return out
}

// listen waits for the first event and for the end.
func (e *examination) listen(w watch.Interface, t stuck.Type, since time.Time) watched {
	out := watched{Type: t}
	for event := range w.ResultChan() {
		out.First = cmp.Or(out.First, e.Clock().Sub(since))
		if event.Type == watch.Error {
			out.Err = apierrors.FromObject(event.Object)
			out.Fault = kindOf(out.Err, failed)
			break
		}
	}
	out.Ended = e.Clock().Sub(since)
	return out
}

// kindOf is the fault that an error is.
func kindOf(err error, otherwise fault) fault {
	switch {
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
		return expired
	case apierrors.IsForbidden(err):
		return forbidden
	}
	return otherwise
}

// note notes how the watch went.
func (w watched) note(h *stuck.TypeHealth) {
	h.FirstSeconds = seconds(w.First)
	switch {
	case w.Err != nil:
		h.Watch = string(w.Fault) + ": " + cluster.Reason(w.Err)
	case w.Fault == cut:
		h.Watch = fmt.Sprintf("cut after %s", w.Ended.Round(time.Millisecond))
	case w.Fault != "":
		h.Watch = string(w.Fault)
	case w.First > 0:
		h.Watch = "ok"
	default:
		h.Watch = "ok, without bookmarks"
	}
}

// initialEventsEnd marks the bookmark behind the last object of a streamed list
// (KEP-3157).
const initialEventsEnd = "k8s.io/initial-events-end"

// streams says whether the API server streams lists to those who watch.
func (e *examination) streams(ctx context.Context) string {
	smallest := -1
	for i, l := range e.listed {
		if l.watchable() && stuck.BuiltIn(l.Type.Group) && (smallest < 0 || l.objects() < e.listed[smallest].objects()) {
			smallest = i
		}
	}
	if smallest < 0 {
		return "not tried whether lists are streamed (WatchList)"
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	yes := true
	w, err := e.server.Watch(ctx, e.listed[smallest].Type, e.Namespace, metav1.ListOptions{
		SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if apierrors.IsForbidden(err) {
		return "not known whether lists are streamed (WatchList)"
	}
	if err != nil {
		return "lists are not streamed (WatchList): " + cluster.Reason(err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if m, ok := event.Object.(*metav1.PartialObjectMetadata); ok && m.Annotations[initialEventsEnd] == "true" {
			return "lists are streamed (WatchList)"
		}
	}
	return "lists are not streamed (WatchList): " + cluster.Reason(cmp.Or(ctx.Err(), errors.New("the stream ended early")))
}

func watches(n int) string {
	if n == 1 {
		return "1 watch"
	}
	return fmt.Sprintf("%d watches", n)
}
