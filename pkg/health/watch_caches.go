package health

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// watchCacheProblems are what the API server's counters tell of the caches that it
// serves watches from.
func (c *checker) watchCacheProblems(m cluster.Metrics) []stuck.Problem {
	var out []stuck.Problem
	up := time.Duration(0)
	if !m.Started.IsZero() {
		up = c.view.Now().Sub(m.Started)
	}
	since := fmt.Sprintf("since the API server started %s ago", duration.HumanDuration(up))
	versions := c.servedVersions()
	for _, t := range c.Types {
		cache := m.WatchCaches[t.GVR().GroupResource()]
		add := func(a stuck.Problem, evidence ...string) {
			a.Subject, a.Evidence = typeSubject(t.String()), evidence
			out = append(out, a)
		}
		if cache.Initializations == 0 && cache.InitializationErrors > 0 {
			add(cacheNeverFilled(t), fmt.Sprintf("filling it has failed %s %s", countTimes(cache.InitializationErrors), since))
		}
		if normal := versions[t.Group]; stuck.IsBuiltInGroup(t.Group) && normal > 0 && exceedsDaily(cache.Initializations-normal, up) {
			add(cacheRefilled(t), fmt.Sprintf("it was filled %s %s, and %s would do", countTimes(cache.Initializations), since, countTimes(normal)))
		}
		if evidence := c.watchCacheLag(t, cache, up, since); len(evidence) > 0 {
			add(cacheBehind(t), evidence...)
		}
		if exceedsHourly(cache.TerminatedWatches, up) {
			add(slowWatcher(t), fmt.Sprintf("%s were closed for that %s", countWatches(cache.TerminatedWatches), since))
		}
	}
	return out
}

// servedVersions is how many versions each API group is served in. Types of Kubernetes
// itself have a watch cache for each at most; those of CRDs get new ones with
// every change of their CRD.
func (c *checker) servedVersions() map[string]int {
	versions := map[string]int{}
	services := c.view.APIServices()
	if !services.Complete {
		return versions
	}
	for _, s := range services.Items {
		versions[s.Spec.Group]++
	}
	return versions
}

// exceedsDaily reports whether something happened that may once a day.
func exceedsDaily(n int, up time.Duration) bool {
	return up > 0 && n > 1+int(up/(24*time.Hour))
}

// exceedsHourly reports whether something has happened more often than once an hour, and
// more than a few times.
func exceedsHourly(n int, up time.Duration) bool {
	const few = 10
	return up > 0 && n > few && n > int(up/time.Hour)
}

// versionModulus is what API servers cut resourceVersions off at in their metrics, from
// 1.37 on.
const versionModulus = 1_000_000_000_000_000

// watchCacheLag says how a watch cache lags. A list that was answered before came from
// the cache or waited for it in vain, where the API server serves consistent
// reads from it (KEP-2340); of another API server's cache it tells nothing.
func (c *checker) watchCacheLag(t stuck.Type, cache cluster.WatchCache, up time.Duration, since string) []string {
	var evidence []string
	if exceedsHourly(cache.FallbackReads, up) {
		evidence = append(evidence, fmt.Sprintf("it did not catch up in time for %d of %s %s", cache.FallbackReads, stuck.Count(cache.ConsistentReads, "consistent read"), since))
	}
	for _, l := range c.lists {
		if l.Type.GVR() != t.GVR() || l.First == nil || cache.ConsistentReads == 0 || cache.ResourceVersion == 0 || cluster.HasSeveralAPIServers(c.view) {
			continue
		}
		version, err := strconv.ParseUint(l.First.ResourceVersion, 10, 64)
		if err == nil && version < versionModulus && version > cache.ResourceVersion {
			evidence = append(evidence, fmt.Sprintf("it had come to resourceVersion %d when a list had been answered at %d", cache.ResourceVersion, version))
		}
	}
	return evidence
}

func countTimes(n int) string { return stuck.Count(n, "time") }

func cacheNeverFilled(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Unhealthy,
		Reason:  "watch-cache-unfilled",
		Summary: fmt.Sprintf("the API server has never managed to fill its watch cache of %s", t),
		Impact:  []string{noEventsImpact},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "see what the API server's log says of it, and whether the type can be listed", Command: "kubectl finalizers health --check list"}},
	}
}

func cacheRefilled(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Warning,
		Reason:  "watch-cache-refilled",
		Summary: fmt.Sprintf("the API server had to fill its watch cache of %s again and again", t),
		Impact:  []string{"each time all watches on it end at once, and every controller has to begin anew"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "see in the API server's log and in etcd's what went wrong: changes of etcd's leader, slow disks, compaction", Command: "kubectl get --raw=/metrics | grep ^apiserver_watch_cache_initializations_total"}},
	}
}

func cacheBehind(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Warning,
		Reason:  "watch-cache-late",
		Summary: fmt.Sprintf("the API server's watch cache of %s is behind its storage", t),
		Impact:  []string{"controllers hear of changes late or not at all, deletions among them, and lists take seconds longer or are refused"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether an object of it cannot be read, or etcd and the API server are short of CPU or disk", Command: "kubectl finalizers health --check list"}},
	}
}

func slowWatcher(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Warning,
		Reason:  "watcher-slow",
		Summary: fmt.Sprintf("somebody who watches %s is too slow for it", t),
		Impact:  []string{"whoever it is has to begin anew each time, and may never catch up"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "see in the API server's log who (\"Forcing ... watcher close due to unresponsiveness\"), and give it more CPU", Command: "kubectl get --raw=/metrics | grep ^apiserver_terminated_watchers_total"}},
	}
}
