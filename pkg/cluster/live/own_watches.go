package live

import (
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ownWatches counts the watches that this program has open itself: whoever asks who
// else watches a type does not mean them.
type ownWatches struct {
	mu   sync.Mutex
	open map[schema.GroupResource]int
}

// track counts a watch until it is stopped, which everybody does whose watch has ended.
func (o *ownWatches) track(t stuck.Type, w watch.Interface, err error) (watch.Interface, error) {
	if err != nil {
		return w, err
	}
	o.add(t, 1)
	return &trackedWatch{Interface: w, stopped: sync.OnceFunc(func() { o.add(t, -1) })}, nil
}

func (o *ownWatches) add(t stuck.Type, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		o.open = map[schema.GroupResource]int{}
	}
	o.open[t.GVR().GroupResource()] += n
}

func (o *ownWatches) count() map[schema.GroupResource]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.open)
}

// subtractFrom takes out of what an API server counts the watches that were open before
// it was asked, and were open still when it had answered. One that is taken out too
// few makes another's watch of our own, which weakens what is said; one too many would
// hide a controller.
func (o *ownWatches) subtractFrom(m *cluster.Metrics, before map[schema.GroupResource]int) {
	after := o.count()
	for i, w := range m.Watches {
		gr := schema.GroupResource{Group: w.Group, Resource: w.Resource}
		m.Watches[i].Open = max(0, w.Open-min(before[gr], after[gr]))
	}
}

type trackedWatch struct {
	watch.Interface
	stopped func()
}

// Stop ends the watch, which does not count from then on.
func (w *trackedWatch) Stop() {
	w.stopped()
	w.Interface.Stop()
}
