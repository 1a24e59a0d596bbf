package health

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	// maxHandlerTime is how long the handlers of an informer may take for a change on average: they
	// only put a name into a queue.
	maxHandlerTime = time.Second
	// settledTime is how old a change has to be of which an informer must know: it receives a
	// bookmark each minute, also where it selects other objects (defaultBookmarkFrequency in
	// k8s.io/apiserver/pkg/storage/cacher/cacher.go).
	settledTime = 3 * time.Minute
	// maxSettledReads is how many objects of one controller are read for that.
	maxSettledReads = 10
)

// busyInformers says which informers of a Pod have a long queue, or slow handlers.
func busyInformers(pod live.ControllerMetrics) []string {
	var evidence []string
	for _, t := range sortedInformers(pod) {
		i := pod.Informers[t]
		if i.Queued >= maxQueueDepth {
			evidence = append(evidence, fmt.Sprintf("informer of %s: %d changes wait", t, i.Queued))
		}
		if i.Processed >= minReconciles && i.ProcessingTime/time.Duration(i.Processed) > maxHandlerTime {
			evidence = append(evidence, fmt.Sprintf("informer of %s: its handlers took %s for each of %d changes, on average", t, (i.ProcessingTime/time.Duration(i.Processed)).Round(10*time.Millisecond), i.Processed))
		}
	}
	return evidence
}

func sortedInformers(pod live.ControllerMetrics) []schema.GroupResource {
	return slices.SortedFunc(maps.Keys(pod.Informers), func(a, b schema.GroupResource) int { return cmp.Compare(a.String(), b.String()) })
}

// lateInformers are the warnings for informers of a controller that have not received the last
// change of an object that waits for it, though that is long ago. resourceVersions may be compared
// (KEP-5504); the metric has the last 15 digits only.
func (c *checker) lateInformers(w *controllerWorkload, m podMetrics) []stuck.Problem {
	var out []stuck.Problem
	asked := 0
	for _, o := range c.blockedBy(w.finalizers) {
		for _, pod := range m.samples {
			i := pod.Informers[o.Type.GVR().GroupResource()]
			version, err := strconv.ParseUint(o.ResourceVersion, 10, 64)
			if err != nil || version >= versionModulus || i.StoreVersion == 0 || i.StoreVersion >= version || !pod.MayLead() {
				continue
			}
			if asked++; asked > maxSettledReads {
				return nil
			}
			if !c.isSettled(o) {
				continue
			}
			out = append(out, stuck.Problem{
				State: stuck.Warning, Reason: "controller-informer-late", Subject: w.Culprit(),
				Message: fmt.Sprintf("the informer of %s in %s has not received the last change of %s", o.Type, w.RefInNamespace(), o.RefInNamespace()),
				Evidence: []string{
					fmt.Sprintf("informer_store_resource_version of %s is %d", o.Type, i.StoreVersion),
					fmt.Sprintf("%s has resourceVersion %d, and did not change within %s", o.Ref(), version, settledTime),
				},
				Impact: []string{"a watch that broke inside the controller shows in nothing else: its pods are ready, and it leads"},
				Steps:  []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("restart %s: it lists all objects again", w.Ref()), Command: stuck.Kubectlf(w.Namespace, "rollout restart %s", w.Ref())}},
			})
			return out // one informer is enough, whatever else waits for it
		}
	}
	return out
}

// isSettled reports whether the last change of an object was long ago, by its deletion and its
// managedFields, and it is still the version that was seen.
func (c *checker) isSettled(o stuck.Object) bool {
	read := c.view.MetadataOf(o)
	if !read.Found() || read.Value.ResourceVersion != o.ResourceVersion || len(read.Value.ManagedFields) == 0 {
		return false
	}
	before := c.view.Now().Add(-settledTime)
	return o.DeletionTime.Before(before) && !slices.ContainsFunc(read.Value.ManagedFields, func(f metav1.ManagedFieldsEntry) bool {
		return f.Time == nil || f.Time.After(before)
	})
}
