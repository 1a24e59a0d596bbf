package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// measured is what the Pods of one controller tell.
type measured struct {
	pods []cluster.ControllerMetrics
	// all says that every Pod that is ready has told.
	all bool
}

// mostPods is how many Pods of one controller are asked: all but the one that
// leads do nothing.
const mostPods = 5

// errNoPort is what a Pod has instead of metrics that could be asked for.
var errNoPort = errors.New("no port of it is named for metrics")

// readControllers asks those that run for their own metrics, and says how many
// Pods have answered, and whether all have.
func (e *examination) readControllers(ctx context.Context, all []*controller) (out []stuck.Ailment, read int, complete bool) {
	found := make([]measured, len(all))
	var wait sync.WaitGroup
	for i, c := range all {
		if c.health.Alive == stuck.AliveYes {
			wait.Go(func() { found[i] = e.measure(ctx, c) })
		}
	}
	wait.Wait()
	complete = true
	for i, c := range all {
		read += len(found[i].pods)
		complete = complete && (found[i].all || c.health.Alive != stuck.AliveYes)
		out = append(out, overworked(c, found[i])...)
	}
	return out, read, complete
}

// measure reads the metrics of a controller's Pods.
func (e *examination) measure(ctx context.Context, c *controller) measured {
	pods := e.see.PodsOf(c.Workload)
	ready := slices.DeleteFunc(slices.Clone(pods.Items), func(p corev1.Pod) bool { return !owner.IsReady(p) })
	out := measured{all: pods.Complete && len(ready) <= mostPods}
	for _, pod := range ready[:min(len(ready), mostPods)] {
		ports := cluster.MetricsPorts(pod)
		err := errNoPort
		for _, port := range ports {
			var m cluster.ControllerMetrics
			if m, err = e.server.ControllerMetrics(ctx, pod, port); err == nil {
				out.pods = append(out.pods, m)
				break
			}
		}
		if err != nil {
			out.all = false
			e.see.Unmeasured(pod, err)
		}
	}
	return out
}

const (
	// busy is how long one item may take before that is worth a word.
	busy = 10 * time.Minute
	// deep is how many items may wait.
	deep = 1000
	// tries is how many attempts there have to be before their failing tells.
	tries = 20
)

// overworked is what the metrics of a controller tell of it.
func overworked(c *controller, m measured) []stuck.Ailment {
	var says []string
	for _, pod := range m.pods {
		for _, name := range slices.Sorted(maps.Keys(pod.Queues)) {
			if q := pod.Queues[name]; q.Longest > busy {
				says = append(says, fmt.Sprintf("a worker of its queue %s has been busy with one item for %s (%d wait)", name, duration.HumanDuration(q.Longest), q.Depth))
			} else if q.Depth >= deep {
				says = append(says, fmt.Sprintf("%d items wait in its queue %s", q.Depth, name))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(pod.Reconciles)) {
			if r := pod.Reconciles[name]; r.All >= tries && 2*r.Failed > r.All {
				says = append(says, fmt.Sprintf("%d of the %d reconciles of its controller %s ended with an error", r.Failed, r.All, name))
			}
		}
	}
	var out []stuck.Ailment
	who := fmt.Sprintf("%s in namespace %s", c.Ref(), c.Namespace)
	logs := stuck.Step{What: "see what it says of it", Command: fmt.Sprintf("kubectl -n %s logs %s --all-pods --since=15m", c.Namespace, c.Ref())}
	if len(says) > 0 {
		out = append(out, stuck.Ailment{
			State: stuck.Doubtful, Reason: "controller-overworked", Subject: c.Culprit(), Summary: who + " does not get its work done", Evidence: says,
			Hurts: []string{"objects wait their turn, those that are being deleted too: " + c.holds()}, Fix: []stuck.Step{logs},
		})
	}
	for _, election := range m.led() {
		out = append(out, stuck.Ailment{
			State: stuck.Ill, Reason: "controller-without-a-leader", Subject: c.Culprit(), Summary: fmt.Sprintf("no pod of %s says that it leads in election %s", who, cmp.Or(election, "without a name")),
			Evidence: []string{fmt.Sprintf("leader_election_master_status is 0 in each of %s", counted(len(m.pods), "pod"))},
			Hurts:    []string{"only the leader works, so nothing is done: " + c.holds()}, Fix: []stuck.Step{logs},
		})
	}
	return out
}

// led are the elections that no Pod says to have won. One that was not asked may
// have.
func (m measured) led() []string {
	won := map[string]bool{}
	for _, pod := range m.pods {
		for name, leads := range pod.Leads {
			won[name] = won[name] || leads
		}
	}
	if !m.all {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(won)), func(name string) bool { return won[name] })
}
