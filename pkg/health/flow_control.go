package health

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// rejectionReasons are why API Priority and Fairness rejects a request
// (k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing/queueset/queueset.go).
var rejectionReasons = map[string]string{
	"queue-full":        "its queue was full",
	"concurrency-limit": "all seats were taken, and its priority level has no queue",
	"time-out":          "it waited too long in its queue, or its client gave up",
}

// flowControlProblems are the warnings for flow schemas of which the API server has often
// rejected requests. The counters do not say whose.
func (c *checker) flowControlProblems(m cluster.Metrics) []stuck.Problem {
	type flow struct{ schema, level string }
	rejected := map[flow]int{}
	for key, n := range m.FlowRejections {
		rejected[flow{key.FlowSchema, key.PriorityLevel}] += n
	}
	up := time.Duration(0)
	if !m.Started.IsZero() {
		up = c.view.Now().Sub(m.Started)
	}
	var out []stuck.Problem
	for _, f := range slices.SortedFunc(maps.Keys(rejected), func(a, b flow) int {
		return cmp.Or(cmp.Compare(rejected[b], rejected[a]), cmp.Compare(a.schema, b.schema))
	}) {
		if !exceedsHourly(rejected[f], up) {
			continue
		}
		var evidence []string
		for _, reason := range slices.Sorted(maps.Keys(rejectionReasons)) {
			if n := m.FlowRejections[cluster.FlowKey{PriorityLevel: f.level, FlowSchema: f.schema, Reason: reason}]; n > 0 {
				evidence = append(evidence, fmt.Sprintf("%s since the API server started %s ago: %s (%s)", stuck.Count(n, "request"), duration.HumanDuration(up), rejectionReasons[reason], reason))
			}
		}
		out = append(out, stuck.Problem{
			State: stuck.Warning, Reason: "flow-control-rejects", Subject: stuck.Culprit{Kind: "FlowSchema", Name: f.schema},
			Message:  fmt.Sprintf("the API server rejected %s of flowschema/%s (priority level %s)", stuck.Count(rejected[f], "request"), f.schema, f.level),
			Evidence: evidence,
			Impact:   []string{"clients get 429 and retry later: controllers remove finalizers late, and a streamed list that is rejected starts again; the count does not say whether it happens now"},
			Steps: []stuck.Step{
				{Action: stuck.ActionCheck, Description: "is the count rising, and which requests wait?", Command: "kubectl get --raw=/debug/api_priority_and_fairness/dump_requests"},
				{Action: stuck.ActionCheck, Description: "which clients does the FlowSchema select? Give a client with many requests one of its own", Command: stuck.Shellf("kubectl get flowschema %s -o yaml", f.schema)},
			},
		})
	}
	return out
}
