package controller_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	overQuota = `pods "w-x" is forbidden: exceeded quota: none, requested: pods=1,requests.cpu=500m, used: pods=2,requests.cpu=2, limited: pods=2,requests.cpu=2`
	noAccount = `pods "w-" is forbidden: error looking up service account ops/widgets: serviceaccount "widgets" not found`
	quotaNone = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {namespace: ops, name: none}\n"
	account   = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {namespace: ops, name: widgets, creationTimestamp: '2026-03-01T02:59:40Z'"
)

// Why the pods cannot be created is read from what the API server answers.
func TestCreationRoots(t *testing.T) {
	for message, want := range map[string]string{
		noAccount: "serviceaccount/widgets -n ops does not exist",
		`pods "w-x" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`:                                          `its pods violate PodSecurity "restricted:latest"`,
		`pods "w-x" is forbidden: ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: use a tag`:                                   "validatingadmissionpolicy/no-latest denies its pods",
		`Internal error occurred: failed calling webhook "i.example.com": failed to call webhook: Post "https://i.ops.svc:443/": service "i" not found`: "webhook i.example.com rejects its pods",
		"something else": "",
	} {
		view := newFakeSource(t, "").view()
		health := controller.CheckHealth(view, podless(cluster.DeploymentType, message))
		if health.Fault != controller.FaultCannotStart || health.Root.Text != want {
			t.Errorf("%s: %+v", message, health)
		}
	}
}

// podless is a workload without pods, with what its condition says of that.
func podless(t stuck.Type, failure string) cluster.Workload {
	return cluster.Workload{
		Type: t, Namespace: "ops", Name: "w", UID: "uid-of-w", Desired: 1, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "w"}}, ReplicaFailure: failure,
	}
}

// A workload reports why its pods were rejected until they are created, with delays of many minutes: what it names is read.
func TestOutdatedCreationRoots(t *testing.T) {
	const (
		wasExceeded = "its pods were rejected while resourcequota/none -n ops was exceeded"
		isExceeded  = "resourcequota/none -n ops is exceeded"
		restart     = "kubectl -n ops rollout restart deployment/w"
	)
	for name, test := range map[string]struct{ failure, more, root, evidence, command string }{
		"the quota was deleted": {overQuota, "", wasExceeded, "resourcequota/none -n ops does not exist any more", restart},
		"the quota was raised": {
			overQuota, quotaNone + "spec: {hard: {pods: '3', requests.cpu: '3'}}\nstatus: {used: {pods: '2', requests.cpu: '2'}}", wasExceeded,
			"resourcequota/none -n ops has room now for pods=1,requests.cpu=500m", restart,
		},
		"the quota has room for one of both": {
			overQuota, quotaNone + "spec: {hard: {pods: '3', requests.cpu: '2'}}\nstatus: {used: {pods: '2', requests.cpu: '2'}}", isExceeded, "", "kubectl -n ops describe resourcequota none",
		},
		"the quota has not been counted": {overQuota, quotaNone + "spec: {hard: {pods: '3', requests.cpu: '3'}}", isExceeded, "", "kubectl -n ops describe resourcequota none"},
		"the account was created": {
			noAccount, account + "}", "its pods were rejected while serviceaccount/widgets -n ops did not exist",
			"serviceaccount/widgets -n ops exists now: created 20s ago", restart,
		},
		"the account is being deleted": {
			noAccount, account + ", deletionTimestamp: '2026-03-01T02:59:50Z'}", "serviceaccount/widgets -n ops does not exist", "", "kubectl -n ops create serviceaccount widgets",
		},
	} {
		t.Run(name, func(t *testing.T) {
			health := controller.CheckHealth(newFakeSource(t, test.more).view(), podless(cluster.DeploymentType, test.failure))
			if health.Root.Text != test.root || test.evidence != "" && !slices.Contains(health.Evidence, test.evidence) {
				t.Errorf("root %q, evidence %q", health.Root.Text, health.Evidence)
			}
			if len(health.Root.Steps) == 0 || health.Root.Steps[0].Command != test.command {
				t.Errorf("steps: %+v", health.Root.Steps)
			}
		})
	}
}

// That pods of a StatefulSet or a DaemonSet are rejected is in its events alone.
func TestFailedCreateEvents(t *testing.T) {
	event := func(name, kind, at, message string) string {
		return "apiVersion: v1\nkind: Event\nmetadata: {namespace: ops, name: " + name + "}\ninvolvedObject: {uid: uid-of-w}\ntype: " + kind + "\nreason: FailedCreate\n" +
			"lastTimestamp: '" + at + "'\nmessage: '" + message + "'\n---\n"
	}
	older := func(name string) string {
		return event(name, "Warning", "2026-03-01T02:50:00Z", "create Pod w-0 in StatefulSet w failed error: something older")
	}
	events := older("e1") +
		event("e2", "Warning", "2026-03-01T02:58:00Z", `create Pod w-0 in StatefulSet w failed error: pods "w-0" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true`) +
		older("e3") + event("e4", "Normal", "2026-03-01T02:59:00Z", "no warning")
	for _, kind := range []stuck.Type{cluster.StatefulSetType, cluster.DaemonSetType} {
		health := controller.CheckHealth(newFakeSource(t, events).view(), podless(kind, ""))
		says := podless(kind, "").Ref() + " could not create pods 2m ago: create Pod w-0"
		if health.Fault != controller.FaultCannotStart || health.Root.Text != `its pods violate PodSecurity "restricted:latest"` || len(health.Evidence) < 2 || !strings.HasPrefix(health.Evidence[1], says) {
			t.Errorf("%s: %+v", kind, health)
		}
		if got := controller.CheckHealth(newFakeSource(t, "").view(), podless(kind, "")); got.Root.Text != "" || got.Evidence[1] != podless(kind, "").Ref()+" has no pods" {
			t.Errorf("%s without events: %+v", kind, got)
		}
	}
}

// In a namespace that is being deleted nothing can be created, whatever a workload reports.
func TestNamespaceOfWorkloadIsBeingDeleted(t *testing.T) {
	const terminating = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ops, deletionTimestamp: '2026-03-01T02:00:00Z'}"
	deleting := podless(cluster.DeploymentType, "")
	deleting.Deleting = true
	for name, w := range map[string]cluster.Workload{
		"it is being deleted": deleting, "it has no pods": podless(cluster.DeploymentType, ""),
		"its pods are rejected": podless(cluster.DeploymentType, `pods "w-" is forbidden: unable to create new content in namespace ops because it is being terminated`),
	} {
		root := controller.CheckHealth(newFakeSource(t, terminating).view(), w).Root
		if root.Text != "namespace/ops is being deleted" || len(root.Steps) != 2 || root.Steps[1].Command != "kubectl finalizers explain namespace/ops" {
			t.Errorf("%s: %+v", name, root)
		}
		if got := controller.CheckHealth(newFakeSource(t, strings.Replace(terminating, ", deletionTimestamp: '2026-03-01T02:00:00Z'", "", 1)).view(), w).Root; got.Text != "" {
			t.Errorf("%s, in a namespace that stays: %+v", name, got)
		}
	}
}
