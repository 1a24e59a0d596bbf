package health

import (
	"fmt"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// watchCacheProblems are the problems of the watch caches of the API server, by its
// counters.
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
			add(cacheNeverFilled(t), fmt.Sprintf("initialization of the cache failed %s %s", countTimes(cache.InitializationErrors), since))
		}
		if normal := versions[t.Group]; stuck.IsBuiltInGroup(t.Group) && normal > 0 && exceedsDaily(cache.Initializations-normal, up) {
			add(cacheRefilled(t), fmt.Sprintf("the cache was initialized %s %s; %s is normal", countTimes(cache.Initializations), since, countTimes(normal)))
		}
		if evidence := c.watchCacheLag(t, cache, up, since); len(evidence) > 0 {
			add(cacheBehind(t), evidence...)
		}
		// A failed conversion counts as one, and is a problem of its own.
		cache.DecodeErrors = max(0, cache.DecodeErrors-m.ConversionFailures[t.String()])
		for _, p := range contentProblems(t, cache, since) {
			add(p, p.Evidence...)
		}
		if exceedsHourly(cache.TerminatedWatches, up) {
			add(slowWatcher(t), fmt.Sprintf("the API server closed %s for that reason %s", countWatches(cache.TerminatedWatches), since))
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

// exceedsDaily reports whether something happened more often than once a day.
func exceedsDaily(n int, up time.Duration) bool {
	return up > 0 && n > 1+int(up/(24*time.Hour))
}

// exceedsHourly reports whether something has happened more often than once an hour, and
// more than a few times.
func exceedsHourly(n int, up time.Duration) bool {
	const few = 10
	return up > 0 && n > few && n > int(up/time.Hour)
}

// versionModulus is where API servers truncate resourceVersions in their metrics, from
// 1.37 on.
const versionModulus = 1_000_000_000_000_000

// watchCacheLag says how far a watch cache is behind. A list that was answered before came
// from the cache or waited for it in vain, where the API server serves consistent
// reads from it (KEP-2340). It proves nothing of the cache of another API server.
func (c *checker) watchCacheLag(t stuck.Type, cache cluster.WatchCache, up time.Duration, since string) []string {
	var evidence []string
	if exceedsHourly(cache.FallbackReads, up) {
		evidence = append(evidence, fmt.Sprintf("the cache was too late for %d of %s %s", cache.FallbackReads, stuck.Count(cache.ConsistentReads, "consistent read"), since))
	}
	for _, l := range c.lists {
		if l.Type.GVR() != t.GVR() || l.First == nil || cache.ConsistentReads == 0 || cache.ResourceVersion == 0 || cluster.HasSeveralAPIServers(c.view) {
			continue
		}
		version, err := strconv.ParseUint(l.First.ResourceVersion, 10, 64)
		if err == nil && version < versionModulus && version > cache.ResourceVersion {
			evidence = append(evidence, fmt.Sprintf("the cache was at resourceVersion %d after a list was answered at %d", cache.ResourceVersion, version))
		}
	}
	return evidence
}

func countTimes(n int) string { return stuck.Count(n, "time") }

func cacheNeverFilled(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Unhealthy,
		Reason:  "watch-cache-unfilled",
		Message: fmt.Sprintf("the watch cache of %s was never initialized", t),
		Impact:  []string{noEventsImpact},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("can %s be listed? What does the log of the API server say?", t), Command: "kubectl finalizers health --check list"}},
	}
}

func cacheRefilled(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Warning,
		Reason:  "watch-cache-refilled",
		Message: fmt.Sprintf("the watch cache of %s was initialized again and again", t),
		Impact:  []string{"each time all watches on the type end at once, and every controller starts its watch again"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "what do the logs of the API server and of etcd say? Leader changes of etcd, slow disks, compaction", Command: "kubectl get --raw=/metrics | grep ^apiserver_watch_cache_initializations_total"}},
	}
}

func cacheBehind(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Warning,
		Reason:  "watch-cache-late",
		Message: fmt.Sprintf("the watch cache of %s is behind etcd", t),
		Impact:  []string{"controllers receive changes late or not at all, deletions among them; lists take seconds longer or are rejected"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("is an object of %s unreadable? Are etcd and the API server short of CPU or disk?", t), Command: "kubectl finalizers health --check list"}},
	}
}

func slowWatcher(t stuck.Type) stuck.Problem {
	return stuck.Problem{
		State:   stuck.Warning,
		Reason:  "watcher-slow",
		Message: fmt.Sprintf("a client that watches %s is too slow", t),
		Impact:  []string{"the client starts its watch again each time, and may never catch up"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "which client is it? Look for \"Forcing ... watcher close due to unresponsiveness\" in the log of the API server", Command: "kubectl get --raw=/metrics | grep ^apiserver_terminated_watchers_total"}},
	}
}
