package live

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// FirstObjectTimeout is how long an API server may take for one object of a type. It
// takes milliseconds when it is healthy.
const FirstObjectTimeout = 10 * time.Second

// ListFirst reads the first object of a type, as metadata, in a list that says
// where a watch may begin and how many more there are.
func (s *Server) ListFirst(ctx context.Context, t stuck.Type, namespace string) (*metav1.PartialObjectMetadataList, error) {
	return sendLimited(ctx, s, func(ctx context.Context) (*metav1.PartialObjectMetadataList, error) {
		ctx, cancel := context.WithTimeout(ctx, FirstObjectTimeout)
		defer cancel()
		return s.metadata.Resource(t.GVR()).Namespace(scopeOf(t, namespace)).List(ctx, metav1.ListOptions{Limit: 1})
	})
}

// ListTime is how long the server takes to list one object of a type, without the wait for our
// other requests.
func (s *Server) ListTime(ctx context.Context, t stuck.Type, namespace string) (time.Duration, error) {
	return sendLimited(ctx, s, func(ctx context.Context) (time.Duration, error) {
		began := s.clock()
		_, err := s.metadata.Resource(t.GVR()).Namespace(scopeOf(t, namespace)).List(ctx, metav1.ListOptions{Limit: 1})
		return s.clock().Sub(began), err
	})
}

// Watch watches the metadata of a type. It ends with the context.
func (s *Server) Watch(ctx context.Context, t stuck.Type, namespace string, options metav1.ListOptions) (watch.Interface, error) {
	w, err := s.resourceClient(t, namespace).Watch(ctx, options)
	return s.ownWatches.track(t, w, err)
}

// ListWatch is what an informer on the metadata of a type lists and watches
// with. onRequest is notified of each request, and of how it ended, but of none after
// the end of our own context; the stream that a watch opens goes on.
func (s *Server) ListWatch(t stuck.Type, namespace string, onRequest func(watch bool, options metav1.ListOptions, err error)) cache.ListerWatcher {
	resource := s.resourceClient(t, namespace)
	report := func(ctx context.Context, watch bool, options metav1.ListOptions, err error) {
		if ctx.Err() == nil {
			onRequest(watch, options, err)
		}
	}
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := resource.List(ctx, options)
			report(ctx, false, options, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			w, err := resource.Watch(ctx, options)
			w, err = s.ownWatches.track(t, w, err)
			report(ctx, true, options, err)
			return w, err
		},
	}, s.watchClient)
}

func (s *Server) resourceClient(t stuck.Type, namespace string) metadata.ResourceInterface {
	return s.watchClient.Resource(t.GVR()).Namespace(scopeOf(t, namespace))
}

// scopeOf is the namespace in which a type is to be asked for: none for one
// whose objects are in no namespace.
func scopeOf(t stuck.Type, namespace string) string {
	if !t.Namespaced {
		return ""
	}
	return namespace
}
