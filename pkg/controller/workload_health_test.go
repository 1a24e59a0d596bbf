package controller_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// unreadyHealth is a controller as it stands when something is wrong with it.
func unreadyHealth(t *testing.T, kind, spec, more string) (controller.Health, *cluster.View) {
	t.Helper()
	text := strings.ReplaceAll(healthy, "kind: Deployment", "kind: "+kind)
	text = strings.Replace(text, "spec: {selector", "spec: {"+spec+"selector", 1)
	text = strings.Replace(text, "status: {readyReplicas: 1}", "status: {}", 1)
	found, view := newFakeSource(t, text+more).find()
	if len(found.Candidates) != 1 {
		t.Fatalf("suspects: %v", found.Document(view))
	}
	assertPrintable(t, found.Document(view))
	return controller.CheckHealth(view, found.Candidates[0].Workload), view
}

func pod(name, more string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {namespace: ops, name: %s, labels: {app: w}}\n%s\n---\n", name, more)
}

// ownedPod is a pod that another object controls.
func ownedPod(kind, name, hash, status string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {namespace: ops, name: %[2]s-1, labels: {app: w, pod-template-hash: '%[3]s'}, "+
		"ownerReferences: [{kind: %[1]s, name: %[2]s, controller: true}]}\n%[4]s\n---\n", kind, name, hash, status)
}

func TestWorkloadFaults(t *testing.T) {
	const never = "status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no room}]}"
	const ready = "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}"
	for name, test := range map[string]struct {
		kind, spec, more string
		alive            stuck.RunState
		fault            controller.Fault
		says             string
	}{
		"scaled to zero, by events without times": {
			kind: "Deployment", spec: "replicas: 0, ",
			more:  "apiVersion: v1\nkind: Event\nmetadata: {namespace: ops, name: e}\ninvolvedObject: {uid: uid-of-operator}\nmessage: Scaled down replica set w-1 from 1 to 0",
			alive: stuck.NotRunning, fault: controller.FaultScaledToZero, says: "deployment/widget-operator is scaled to 0",
		},
		"scaled to zero, in newer words": {
			kind: "Deployment", spec: "replicas: 0, ",
			more: "apiVersion: v1\nkind: Event\nmetadata: {namespace: ops, name: e}\ninvolvedObject: {uid: uid-of-operator}\nmessage: Scaled down replica set w-1 to 0 from 1\n" +
				"lastTimestamp: '2026-02-28T03:00:00Z'",
			alive: stuck.NotRunning, fault: controller.FaultScaledToZero, says: "deployment/widget-operator was scaled to 0 24h ago",
		},
		"no number of replicas means one": {kind: "Deployment", alive: stuck.NotRunning, fault: controller.FaultCannotStart, says: "deployment/widget-operator has no pods"},
		"a daemonset that no node takes": {
			kind: "DaemonSet", alive: stuck.NotRunning, fault: controller.FaultCannotStart, says: "daemonset/widget-operator matches no node",
		},
		"pods that have not been counted yet": {
			kind: "Deployment", more: pod("w-1", ready),
			alive: stuck.Running, says: "pod/w-1 is ready; the status of deployment/widget-operator is out of date",
		},
		"a pod of another deployment that has the same selector": {
			kind:  "Deployment",
			more:  ownedPod("ReplicaSet", "widget-operator-ui-5", "5", ready) + ownedPod("ReplicaSet", "widget-operator-7", "7", never),
			alive: stuck.NotRunning, fault: controller.FaultCannotStart, says: "pod/widget-operator-7-1 is not scheduled: Unschedulable: no room",
		},
		"a pod of a daemonset that has the same selector": {
			kind: "Deployment", more: ownedPod("DaemonSet", "agent", "", ready),
			alive: stuck.NotRunning, fault: controller.FaultCannotStart, says: "deployment/widget-operator has no pods",
		},
		"a pod that was evicted, and one that finds no room": {
			kind: "Deployment", more: pod("w-1", "status: {phase: Failed, reason: Evicted}") + pod("w-2", never),
			alive: stuck.NotRunning, fault: controller.FaultCannotStart, says: "pod/w-2 is not scheduled: Unschedulable: no room",
		},
		"nothing but an evicted pod": {
			kind: "Deployment", more: pod("w-1", "status: {phase: Failed, reason: Evicted}"),
			alive: stuck.NotRunning, fault: controller.FaultNotReady, says: "pod/w-1 is Failed and not ready",
		},
		"a pod without any status": {
			kind: "Deployment", more: pod("w-1", ""), alive: stuck.NotRunning, fault: controller.FaultNotReady, says: "pod/w-1 is Unknown and not ready",
		},
	} {
		t.Run(name, func(t *testing.T) {
			health, _ := unreadyHealth(t, test.kind, test.spec, test.more)
			if health.Alive != test.alive || health.Fault != test.fault || !slices.Contains(health.Evidence, test.says) {
				t.Errorf("health: %+v", health)
			}
		})
	}
}

// A workload whose Pods cannot be told from others is not judged by theirs.
// A Deployment that says itself that it makes no progress is quoted.
func TestStalled(t *testing.T) {
	text := strings.Replace(healthy, "status: {readyReplicas: 1}",
		"status: {conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, message: timed out}]}", 1)
	found, view := newFakeSource(t, text).find()
	if len(found.Candidates) != 1 {
		t.Fatalf("suspects: %v", found.Document(view))
	}
	says := controller.CheckHealth(view, found.Candidates[0].Workload).Evidence
	if !slices.Contains(says, "deployment/widget-operator makes no progress: timed out") {
		t.Errorf("it does not say that it makes no progress: %q", says)
	}
}

func TestNoSelector(t *testing.T) {
	view := newFakeSource(t, pod("w-1", "status: {phase: Running}")).view()
	health := controller.CheckHealth(view, cluster.Workload{Namespace: "ops", Name: "w", Desired: 1})
	if health.Alive != stuck.RunStateUnknown {
		t.Errorf("health: %+v", health)
	}
}
