package health

import (
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Rejections of one flow schema are one warning, where they are more than a few for the time.
func TestFlowControl(t *testing.T) {
	key := func(reason string) cluster.FlowKey {
		return cluster.FlowKey{PriorityLevel: "workload-low", FlowSchema: "service-accounts", Reason: reason}
	}
	for name, test := range map[string]struct {
		up       time.Duration
		rejected map[cluster.FlowKey]int
		want     bool
	}{
		"none":           {up: time.Hour},
		"a few":          {up: time.Hour, rejected: map[cluster.FlowKey]int{key("queue-full"): 5}},
		"many":           {up: time.Hour, rejected: map[cluster.FlowKey]int{key("queue-full"): 30, key("time-out"): 3}, want: true},
		"in two months":  {up: 60 * 24 * time.Hour, rejected: map[cluster.FlowKey]int{key("queue-full"): 30}},
		"no known start": {rejected: map[cluster.FlowKey]int{key("queue-full"): 30}},
	} {
		m := cluster.Metrics{FlowRejections: test.rejected}
		if test.up > 0 {
			m.Started = now.Add(-test.up)
		}
		got := newRecordedChecker(t).flowControlProblems(m)
		if len(got) > 0 != test.want {
			t.Errorf("%s: %+v", name, got)
		}
		if test.want && (len(got) != 1 || !strings.Contains(got[0].Message, "33 requests of flowschema/service-accounts") || len(got[0].Evidence) != 2) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
