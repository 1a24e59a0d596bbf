package report

import "github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"

// measuredType is a type as a page shows what health checks have measured of it. Each share is of
// the longest time of all types, zero where nothing was measured.
type measuredType struct {
	Name, Objects, List, Watch, Informer, Watchers string
	ListShare, SyncShare                           float64
}

func measuredTypes(types []stuck.TypeHealth) []measuredType {
	var longestList, longestSync stuck.Seconds
	for _, t := range types {
		longestList, longestSync = max(longestList, t.ListSeconds), max(longestSync, t.SyncSeconds)
	}
	var out []measuredType
	for _, t := range types {
		out = append(out, measuredType{
			Name: t.Type, Objects: countText(t.Objects), List: timedText(t.List, t.ListSeconds), Watch: timedText(t.Watch, t.FirstEventSeconds),
			Informer: timedText(t.Informer, t.SyncSeconds), Watchers: countText(t.Watchers),
			ListShare: share(t.ListSeconds, longestList), SyncShare: share(t.SyncSeconds, longestSync),
		})
	}
	return out
}

// timedText is a result with the time that it took.
func timedText(result string, took stuck.Seconds) string {
	if took == 0 {
		return orDash(result)
	}
	return orDash(result) + ", " + secondsText(took)
}

func share(s, longest stuck.Seconds) float64 {
	if longest == 0 {
		return 0
	}
	return float64(s) / float64(longest)
}
