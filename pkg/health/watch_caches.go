package health

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// cacheAilments are what the API server's counters tell of the caches that it
// serves watches from.
func (e *examination) cacheAilments(m cluster.Metrics) []stuck.Ailment {
	var out []stuck.Ailment
	up := time.Duration(0)
	if !m.Started.IsZero() {
		up = e.see.Now().Sub(m.Started)
	}
	since := fmt.Sprintf("since the API server started %s ago", duration.HumanDuration(up))
	versions := e.versions()
	for _, t := range e.Types {
		c := m.Caches[t.GVR().GroupResource()]
		tell := func(a stuck.Ailment, says ...string) {
			a.Subject, a.Evidence = typeSubject(t.String()), says
			out = append(out, a)
		}
		if c.Filled == 0 && c.Unfilled > 0 {
			tell(neverFilled(t), fmt.Sprintf("filling it has failed %s %s", times(c.Unfilled), since))
		}
		if normal := versions[t.Group]; stuck.BuiltIn(t.Group) && normal > 0 && tooOften(c.Filled-normal, up) {
			tell(filledAgain(t), fmt.Sprintf("it was filled %s %s, and %s would do", times(c.Filled), since, times(normal)))
		}
		if says := e.late(t, c, up, since); len(says) > 0 {
			tell(fallenBehind(t), says...)
		}
		if many(c.Terminated, up) {
			tell(tooSlow(t), fmt.Sprintf("%s were closed for that %s", watches(c.Terminated), since))
		}
	}
	return out
}

// versions is how many versions each API group is served in. Types of Kubernetes
// itself have a watch cache for each at most; those of CRDs get new ones with
// every change of their CRD.
func (e *examination) versions() map[string]int {
	versions := map[string]int{}
	services := e.see.APIServices()
	if !services.Complete {
		return versions
	}
	for _, s := range services.Items {
		versions[s.Spec.Group]++
	}
	return versions
}

// tooOften says whether something happened that may once a day.
func tooOften(n int, up time.Duration) bool {
	return up > 0 && n > 1+int(up/(24*time.Hour))
}

// many says whether something has happened more often than once an hour, and
// more than a few times.
func many(n int, up time.Duration) bool {
	const few = 10
	return up > 0 && n > few && n > int(up/time.Hour)
}

// modulus is what API servers cut resourceVersions off at in their metrics, from
// 1.37 on.
const modulus = 1_000_000_000_000_000

// late says how a watch cache lags. A list that was answered before came from
// the cache or waited for it in vain, where the API server serves consistent
// reads from it (KEP-2340); of another API server's cache it tells nothing.
func (e *examination) late(t stuck.Type, c cluster.WatchCache, up time.Duration, since string) []string {
	var says []string
	if many(c.Late, up) {
		says = append(says, fmt.Sprintf("it did not catch up in time for %d of %s %s", c.Late, counted(c.Read, "consistent read"), since))
	}
	for _, l := range e.listed {
		if l.Type.GVR() != t.GVR() || l.First == nil || c.Read == 0 || c.Version == 0 || owner.SeveralServers(e.see) {
			continue
		}
		version, err := strconv.ParseUint(l.First.ResourceVersion, 10, 64)
		if err == nil && version < modulus && version > c.Version {
			says = append(says, fmt.Sprintf("it had come to resourceVersion %d when a list had been answered at %d", c.Version, version))
		}
	}
	return says
}

func times(n int) string { return counted(n, "time") }

func neverFilled(t stuck.Type) stuck.Ailment {
	return stuck.Ailment{
		State:   stuck.Ill,
		Reason:  "watch-cache-unfilled",
		Summary: fmt.Sprintf("the API server has never managed to fill its watch cache of %s", t),
		Hurts:   []string{starves},
		Fix:     []stuck.Step{{What: "see what the API server's log says of it, and whether the type can be listed", Command: "kubectl finalizers health --check list"}},
	}
}

func filledAgain(t stuck.Type) stuck.Ailment {
	return stuck.Ailment{
		State:   stuck.Doubtful,
		Reason:  "watch-cache-refilled",
		Summary: fmt.Sprintf("the API server had to fill its watch cache of %s again and again", t),
		Hurts:   []string{"each time all watches on it end at once, and every controller has to begin anew"},
		Fix:     []stuck.Step{{What: "see in the API server's log and in etcd's what went wrong: changes of etcd's leader, slow disks, compaction", Command: "kubectl get --raw=/metrics | grep ^apiserver_watch_cache_initializations_total"}},
	}
}

func fallenBehind(t stuck.Type) stuck.Ailment {
	return stuck.Ailment{
		State:   stuck.Doubtful,
		Reason:  "watch-cache-late",
		Summary: fmt.Sprintf("the API server's watch cache of %s is behind its storage", t),
		Hurts:   []string{"controllers hear of changes late or not at all, deletions among them, and lists take seconds longer or are refused"},
		Fix:     []stuck.Step{{What: "see whether an object of it cannot be read, or etcd and the API server are short of CPU or disk", Command: "kubectl finalizers health --check list"}},
	}
}

func tooSlow(t stuck.Type) stuck.Ailment {
	return stuck.Ailment{
		State:   stuck.Doubtful,
		Reason:  "watcher-slow",
		Summary: fmt.Sprintf("somebody who watches %s is too slow for it", t),
		Hurts:   []string{"whoever it is has to begin anew each time, and may never catch up"},
		Fix:     []stuck.Step{{What: "see in the API server's log who (\"Forcing ... watcher close due to unresponsiveness\"), and give it more CPU", Command: "kubectl get --raw=/metrics | grep ^apiserver_terminated_watchers_total"}},
	}
}
