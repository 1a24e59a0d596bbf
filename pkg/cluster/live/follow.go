package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Change is what became of a type while it was followed.
type Change struct {
	Type stuck.Type
	// Selection is what is followed of the type.
	Selection cluster.Selection
	// Object is one that was changed, and Gone says that it is no more.
	Object  stuck.Object
	Removed bool
	// Relisted says that changes were missed, and that Deleting are all selected objects
	// of the type that are being deleted now. NotDeleted are all others, if the selection
	// asks for them.
	Relisted   bool
	Deleting   []stuck.Object
	NotDeleted []stuck.Object
}

// TypeSelection is some of the objects of a type.
type TypeSelection struct {
	Type      stuck.Type
	Selection cluster.Selection
	// WithNotDeleted asks for the objects too that are not being deleted.
	WithNotDeleted bool
}

func (p TypeSelection) key() string {
	sel := p.Selection
	sel.Unpaged = false
	if !p.Type.Namespaced {
		sel.Namespace = ""
	}
	return fmt.Sprintf("%s %+v", p.Type.GVR(), sel)
}

// Follow watches parts from where the scans of them ended, and reports what
// happens to their objects, until the context ends. It reports from several
// goroutines. What cannot be watched is reported once, and unless it is forbidden,
// tried again, ever less often.
func (s *Server) Follow(ctx context.Context, selections []TypeSelection, onChange func(Change), onError func(stuck.Type, error)) {
	var wg sync.WaitGroup
	for _, p := range selections {
		wg.Go(func() { s.follow(ctx, p, onChange, onError) })
	}
	wg.Wait()
}

// The pause after a watch has ended, which grows while it keeps ending badly. A server
// that cannot be reached, because it restarts, is not spared by a long pause.
const (
	minRetryPause            = time.Second
	maxRetryPause            = time.Minute
	maxUnreachableRetryPause = 5 * time.Second
)

// limitRetryPause is the pause after a watch has ended with an error, or with none.
func limitRetryPause(pause time.Duration, err error) time.Duration {
	var answer apierrors.APIStatus
	if err == nil || errors.As(err, &answer) {
		return min(pause, maxRetryPause)
	}
	return min(pause, maxUnreachableRetryPause)
}

func (s *Server) follow(ctx context.Context, p TypeSelection, onChange func(Change), onError func(stuck.Type, error)) {
	version := ""
	if v, ok := s.scanVersions.Load(p.key()); ok {
		version = v.(string)
	}
	reported := false
	for pause := minRetryPause; ctx.Err() == nil; pause *= 2 {
		startVersion := version
		err := s.followFrom(ctx, p, &version, onChange)
		switch {
		case ctx.Err() != nil:
			return
		case apierrors.IsMethodNotSupported(err), apierrors.IsNotFound(err), errors.Is(err, errNoResourceVersion):
			return // it cannot be watched, or was there only when it was discovered
		case apierrors.IsForbidden(err):
			onError(p.Type, err)
			return
		case err == nil && version != startVersion:
			pause = minRetryPause
		case err != nil && !reported && !apierrors.IsResourceExpired(err):
			reported = true
			onError(p.Type, err)
		}
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			version = ""
		}
		pause = limitRetryPause(pause, err)
		waitUnlessDone(ctx, pause)
	}
}

// errNoResourceVersion is what becomes of lists that are made up for each request, as
// of componentstatuses: nothing in them is stored, and could be stuck.
var errNoResourceVersion = errors.New("the list has no resourceVersion to watch from")

// followFrom watches until the server ends it, as it does now and then. Without
// a version to begin from it lists again.
func (s *Server) followFrom(ctx context.Context, p TypeSelection, version *string, onChange func(Change)) error {
	if *version == "" {
		change := Change{Type: p.Type, Selection: p.Selection, Relisted: true}
		err := s.Scan(ctx, p.Type, p.Selection, func(o stuck.Object) {
			switch {
			case o.Deleting():
				change.Deleting = append(change.Deleting, o)
			case p.WithNotDeleted:
				change.NotDeleted = append(change.NotDeleted, o)
			}
		})
		if err != nil {
			return err
		}
		onChange(change)
		v, _ := s.scanVersions.Load(p.key())
		if *version, _ = v.(string); *version == "" {
			return errNoResourceVersion
		}
	}
	events, err := s.watch(ctx, p, *version)
	if err != nil {
		return err
	}
	defer events.Stop()
	for event := range events.ResultChan() {
		if event.Type == watch.Error {
			return apierrors.FromObject(event.Object)
		}
		m, ok := event.Object.(*metav1.PartialObjectMetadata)
		if !ok {
			return fmt.Errorf("a watch of %s tells of a %T", p.Type, event.Object)
		}
		*version = m.ResourceVersion
		if event.Type != watch.Bookmark {
			onChange(Change{Type: p.Type, Selection: p.Selection, Object: stuck.ObjectOf(p.Type, m.ObjectMeta), Removed: event.Type == watch.Deleted})
		}
	}
	return nil
}

// watch opens a watch in its turn. An open one costs little, and takes nobody's.
func (s *Server) watch(ctx context.Context, p TypeSelection, version string) (watch.Interface, error) {
	release, err := s.acquireSlot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	opts := metav1.ListOptions{
		ResourceVersion: version, AllowWatchBookmarks: true, LabelSelector: p.Selection.Labels, FieldSelector: listOptions(p.Selection).FieldSelector,
	}
	namespace := p.Selection.Namespace
	if !p.Type.Namespaced {
		namespace = ""
	}
	events, err := s.watchClient.Resource(p.Type.GVR()).Namespace(namespace).Watch(ctx, opts)
	return s.ownWatches.track(p.Type, events, err)
}
