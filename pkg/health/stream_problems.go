package health

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// streamSummary says of how many types the streamed list came to its end.
func streamSummary(streams map[schema.GroupVersionResource]streamResult) string {
	if len(streams) == 0 {
		return "streamed lists (WatchList) not checked"
	}
	count := map[streamState]int{}
	for _, r := range streams {
		count[r.State]++
	}
	text := fmt.Sprintf("%d of %s (WatchList) ended", count[streamEnds], stuck.Count(len(streams), "streamed list"))
	if n := count[streamRejected]; n > 0 {
		text += fmt.Sprintf(", %d not offered (clients list in pages)", n)
	}
	if n := count[streamUnknown]; n > 0 {
		text += fmt.Sprintf(", not known for %d", n)
	}
	return text
}

// addStreamGaps notes the streamed lists of which is not known whether they end, and reports
// whether there are any. Of a faulty watch, that is the problem, and a forbidden one is
// noted with the watches.
func (c *checker) addStreamGaps(streams map[schema.GroupVersionResource]streamResult, faulty []watchResult) bool {
	found := false
	for _, r := range sortedStreams(streams) {
		if r.State != streamUnknown || apierrors.IsForbidden(r.Err) || isFaulty(r.Type, faulty) {
			continue
		}
		found = true
		text := fmt.Sprintf("the stream broke off after %s, before its end", stuck.Count(r.Objects, "object"))
		if r.Err != nil {
			text = apitext.ErrorMessage(r.Err)
		}
		c.view.AddGaps(stuck.Gap{Source: "streamed list of " + r.Type.String(), Error: text})
	}
	return found
}

func sortedStreams(streams map[schema.GroupVersionResource]streamResult) []streamResult {
	return slices.SortedFunc(maps.Values(streams), func(a, b streamResult) int { return cmp.Compare(a.Type.String(), b.Type.String()) })
}

func isFaulty(t stuck.Type, faulty []watchResult) bool {
	return slices.ContainsFunc(faulty, func(w watchResult) bool { return w.Type.GVR() == t.GVR() })
}

// endlessStreams are the problems of types whose streamed list does not end although their
// watch works: of a faulty watch, that is the problem.
func (c *checker) endlessStreams(ctx context.Context, streams map[schema.GroupVersionResource]streamResult, faulty []watchResult) []stuck.Problem {
	var out []stuck.Problem
	owners := maxOwnersRead
	for _, r := range sortedStreams(streams) {
		if r.State == streamEndless && !isFaulty(r.Type, faulty) {
			p := c.streamProblem(r)
			if r.Service != nil { // else kube-controller-manager may connect another way
				owners -= c.addUncollected(ctx, &p, r.Type, owners)
			}
			out = append(out, p)
		}
	}
	return out
}

// streamProblem is the problem of a streamed list that does not end. Informers of client-go
// request it since 1.35 (WatchListClient in client-go/features/known_features.go), and wait
// for its end without a limit.
func (c *checker) streamProblem(r streamResult) stuck.Problem {
	return stuck.Problem{
		State: stuck.Unhealthy, Reason: "stream-without-end", Subject: typeSubject(r.Type.String()),
		Message:  fmt.Sprintf("the streamed list of %s never ends, so informers of client-go 1.35 and later never sync", r.Type),
		Evidence: r.evidence(),
		Impact:   c.streamImpact(r),
		Steps:    r.steps(),
	}
}

// streamImpact says what does not work. Of a type that no extension server serves, it is what is
// between this machine and the API server that drops the bookmark: others may connect another
// way.
func (c *checker) streamImpact(r streamResult) []string {
	const workers = "a controller built with client-go 1.35 or later that watches %s%s does not start its workers, for any of its types"
	if r.Service == nil {
		return []string{fmt.Sprintf(workers, r.Type, " and connects the same way")}
	}
	impact := []string{fmt.Sprintf(workers, r.Type, "")}
	if c.managerListsInPages() {
		return append(impact, "none for the garbage collector and the quota controller: the flags of kube-controller-manager set WatchListClient=false")
	}
	if !c.managerStreamsLists() {
		return impact
	}
	impact = append(impact, fmt.Sprintf("from 1.34 on, the garbage collector and the quota controller of kube-controller-manager do not see %s: %s", r.Type, uncollectedText))
	return append(impact, quotaImpact(r.Type)...)
}

// evidence says what did not arrive, and who serves the type.
func (r streamResult) evidence() []string {
	lines := []string{fmt.Sprintf("a watch with sendInitialEvents=true stayed open: %s arrived, then nothing for %s, and no bookmark with %s", stuck.Count(r.Objects, "object"), streamIdle, initialEventsEnd)}
	if r.Service != nil {
		lines = append(lines, fmt.Sprintf("%s is served by apiservice/%s.%s, %s", r.Type, r.Type.Version, r.Type.Group, stuck.RefInNamespace("service", r.Service.Name, r.Service.Namespace)))
	}
	return lines
}

// steps reproduce the missing bookmark, and name who has to send it.
func (r streamResult) steps() []stuck.Step {
	gvr := r.Type.GVR()
	root := "/apis/" + gvr.Group
	if gvr.Group == "" {
		root = "/api"
	}
	url := fmt.Sprintf("%s/%s/%s?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=10", root, gvr.Version, gvr.Resource)
	steps := []stuck.Step{{Action: stuck.ActionCheck, Description: "does the bookmark arrive? A healthy server prints a line", Command: stuck.Shellf("kubectl get --raw %s | grep %s", url, initialEventsEnd)}}
	if r.Service == nil {
		steps = append(steps, stuck.Step{Action: stuck.ActionCheck, Description: "does it work without the proxy before the API server? It may drop bookmarks", Command: "kubectl finalizers health --check watch --server=https://ADDRESS-OF-ONE-API-SERVER:6443"})
	} else {
		service := stuck.RefInNamespace("service", r.Service.Name, r.Service.Namespace)
		steps = append(steps,
			stuck.Step{Action: stuck.ActionCheck, Description: "which software and which version runs behind " + service + "?", Command: stuck.Kubectlf(r.Service.Namespace, "get service,endpointslices,pods -o wide")},
			stuck.Step{Action: stuck.ActionChange, Description: "upgrade it to a version that sends the bookmark, or that rejects sendInitialEvents"})
	}
	return append(steps, stuck.Step{Action: stuck.ActionChange, Description: "until then, set the environment variable KUBE_FEATURE_WatchListClient=false in the controllers that do not sync, and --feature-gates=WatchListClient=false in kube-controller-manager; they then list in pages"})
}
