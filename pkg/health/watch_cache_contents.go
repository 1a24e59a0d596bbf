package health

import (
	"fmt"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// contentProblems are the problems of what is in a watch cache and in etcd behind it. API
// servers that do not count these have no such problems, and nothing is said of them.
func contentProblems(t stuck.Type, cache cluster.WatchCache, since string) []stuck.Problem {
	var out []stuck.Problem
	if cache.InconsistentChecks > 0 {
		out = append(out, cacheInconsistent(t, cache, since))
	}
	if cache.DecodeErrors > 0 {
		out = append(out, objectsUndecodable(t, cache, since))
	}
	return out
}

// cacheInconsistent is a warning where the API server has also found the cache consistent: the
// counts do not say which came last. An API server compares every five minutes or more
// (CheckPeriod in k8s.io/apiserver/pkg/storage/cacher/consistency/checker.go).
func cacheInconsistent(t stuck.Type, cache cluster.WatchCache, since string) stuck.Problem {
	p := stuck.Problem{
		State:   stuck.Unhealthy,
		Reason:  "watch-cache-inconsistent",
		Message: fmt.Sprintf("the watch cache of %s differs from etcd", t),
		Evidence: []string{fmt.Sprintf("%d of %s of the cache with etcd failed %s", cache.InconsistentChecks,
			stuck.Count(cache.InconsistentChecks+cache.ConsistentChecks, "comparison"), since)},
		Impact: []string{"controllers that watch through this API server may miss deletions, or see objects that do not exist"},
		Steps: []stuck.Step{
			{Action: stuck.ActionCheck, Description: "which objects differ? Look for \"Cache consistency check failed\" in the log of the API server, which names them", Command: "kubectl get --raw=/metrics | grep ^apiserver_storage_consistency_checks_total"},
			{Action: stuck.ActionChange, Description: "restart this API server: it fills its caches from etcd, and controllers list all objects again"},
		},
	}
	if cache.ConsistentChecks > 0 {
		p.State, p.Message = stuck.Warning, fmt.Sprintf("the watch cache of %s differed from etcd", t)
		p.Impact = append(p.Impact, "the counts do not say whether the cache differs now")
	}
	return p
}

// objectsUndecodable is a warning: the count does not say whether the object was repaired since.
func objectsUndecodable(t stuck.Type, cache cluster.WatchCache, since string) stuck.Problem {
	return stuck.Problem{
		State:    stuck.Warning,
		Reason:   "objects-undecodable",
		Message:  fmt.Sprintf("an object of %s in etcd could not be decoded", t),
		Evidence: []string{fmt.Sprintf("decoding objects of %s failed %s %s", t, countTimes(cache.DecodeErrors), since)},
		Impact:   []string{"the watch cache stops at such an object, and no list from etcd succeeds; the count does not say whether it still exists"},
		Steps:    []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("can all %s be read from etcd? The error names the object", t), Command: stuck.Shellf("kubectl get %s -A --chunk-size=0", t)}},
	}
}
