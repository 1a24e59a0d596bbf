package controller_test

import (
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
)

// A Lease that is renewed by a process outside the Pods of a workload is told from what only looks so.
func TestLeaderElsewhere(t *testing.T) {
	const lease = `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: ops, name: widget-operator}
spec: {holderIdentity: HOLDER, leaseDurationSeconds: 15, renewTime: "RENEWED"}
---
`
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: ops, name: devbox-anna, uid: uid-of-pod}\n---\n"
	const namesake = `
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ops, name: other, uid: uid-of-other}
spec: {selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {serviceAccountName: other, containers: [{name: c, command: [/widget-operator]}]}}}
status: {readyReplicas: 1}
---
`
	const renewed, expired = "2026-03-01T02:59:55.000000Z", "2026-03-01T02:00:00.000000Z"
	for name, test := range map[string]struct {
		holder, renewed, others, podSpec string
		want                             bool
	}{
		"a developer's machine":                {holder: "devbox-anna_4f1c", want: true},
		"the name of the machine has capitals": {holder: "Annas-MacBook.local_4f1c", want: true},
		"a pod of the workload":                {holder: "widget-operator-7d9f8b6c5d-x2x2x_4f1c"},
		"another pod":                          {holder: "devbox-anna_4f1c", others: pod},
		"a lease that two workloads may use":   {holder: "devbox-anna_4f1c", others: namesake},
		"a pod whose name was cut":             {holder: strings.Repeat("a", 63) + "_4f1c"},
		"an identity of another form":          {holder: "4f1c8a52-7d3b-4e0e-9d52-1f0f6f4f9f11"},
		"it is not renewed any more":           {holder: "devbox-anna_4f1c", renewed: expired},
		"the name of a node":                   {holder: "node-1_4f1c", podSpec: "hostNetwork: true"},
		"a host name of the template":          {holder: "leader_4f1c", podSpec: "hostname: leader"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.renewed == "" {
				test.renewed = renewed
			}
			text := healthy
			if test.podSpec != "" {
				text = strings.Replace(text, "containers: [{name: manager}]", "containers: [{name: manager}], "+test.podSpec, 1)
			}
			text += strings.NewReplacer("HOLDER", test.holder, "RENEWED", test.renewed).Replace(lease) + test.others
			found, view := newFakeSource(t, text).find()
			if len(found.Candidates) != 1 {
				t.Fatalf("candidates: %v", found.Document(view))
			}
			held, seen := controller.LeaderElsewhere(view, found.Candidates[0].Workload)
			if (held != nil) != test.want || !seen {
				t.Errorf("held: %v, seen: %t", held, seen)
			}
		})
	}
}
