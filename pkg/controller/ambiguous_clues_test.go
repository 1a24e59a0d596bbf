package controller_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// What runs a controller and is no workload is not called absent.
func TestWhatRunsAsTheAccountAndIsNoWorkload(t *testing.T) {
	rollout := stuck.Type{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts", Kind: "Rollout", Namespaced: true, Listable: true}
	for name, test := range map[string]struct {
		more, says    string
		unseen, ended bool
	}{
		"nothing at all": {says: "a client outside the cluster that uses serviceaccount/widget-operator -n ops (clusterrolebinding/widget-operator)"},
		"a bare pod": {
			more:   "apiVersion: v1\nkind: Pod\nmetadata: {namespace: ops, name: w-1}\nspec: {serviceAccountName: widget-operator}\nstatus: {phase: Running}",
			says:   "pod/w-1 -n ops, which runs as serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			unseen: true,
		},
		"a pod that has succeeded": {
			more: "apiVersion: v1\nkind: Pod\nmetadata: {namespace: ops, name: w-1}\nspec: {serviceAccountName: widget-operator}\nstatus: {phase: Succeeded}",
			says: "a client outside the cluster that uses serviceaccount/widget-operator -n ops (clusterrolebinding/widget-operator)",
		},
		"a cron job": {
			more:   "apiVersion: batch/v1\nkind: CronJob\nmetadata: {namespace: ops, name: sweep}\nspec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: widget-operator}}}}}",
			says:   "cronjob/sweep -n ops, which runs as serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			unseen: true,
		},
		"a rollout": {
			more:   "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {namespace: ops, name: w}\nspec: {replicas: 0, template: {spec: {serviceAccountName: widget-operator}}}",
			says:   "rollout.argoproj.io/w -n ops, which is scaled to 0 and uses serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			unseen: true,
		},
		"a replication controller": {
			more:   "apiVersion: v1\nkind: ReplicationController\nmetadata: {namespace: ops, name: w}\nspec: {replicas: 0, template: {spec: {serviceAccountName: widget-operator}}}",
			says:   "replicationcontroller/w -n ops, which is scaled to 0 and uses serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			unseen: true,
		},
		"a suspended cron job": {
			more:   "apiVersion: batch/v1\nkind: CronJob\nmetadata: {namespace: ops, name: sweep}\nspec: {suspend: true, jobTemplate: {spec: {template: {spec: {serviceAccountName: widget-operator}}}}}",
			says:   "cronjob/sweep -n ops, which is suspended and uses serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			unseen: true,
		},
		"a job that has finished": {
			more:  "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: ops, name: once}\nspec: {template: {spec: {serviceAccountName: widget-operator}}}\nstatus: {conditions: [{type: Complete, status: \"True\"}]}",
			says:  "job/once -n ops, which has finished and uses serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			ended: true,
		},
		"a pod that has failed": {
			more:  "apiVersion: v1\nkind: Pod\nmetadata: {namespace: ops, name: w-1}\nspec: {serviceAccountName: widget-operator}\nstatus: {phase: Failed}",
			says:  "pod/w-1 -n ops, which has failed and uses serviceaccount/widget-operator (clusterrolebinding/widget-operator)",
			ended: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := withoutDeployment(t, test.more)
			view := cluster.NewView(t.Context(), w, []stuck.Type{widget, rollout}, nil)
			found := controller.Find(view, known(t), w1, finalizer)
			if diff := cmp.Diff([]controller.OtherActor{{Description: test.says, NotExaminable: test.unseen, NotRunning: test.ended}}, found.OtherActors); diff != "" {
				t.Errorf("others (-want +got):\n%s", diff)
			}
			if len(found.Candidates) > 0 || !found.Complete || len(view.Gaps()) > 0 {
				t.Errorf("suspects %v, gaps %v", found.Candidates, view.Gaps())
			}
			if slices.ContainsFunc(found.MissingTargets, func(tr controller.MissingTarget) bool { return tr.Deleted }) {
				t.Errorf("something is said to be gone: %v", found.MissingTargets)
			}
		})
	}
}

// An API group that could not be discovered may hold what runs as the account.
func TestRolloutsThatCouldNotBeDiscovered(t *testing.T) {
	view := cluster.NewView(t.Context(), withoutDeployment(t, ""), []stuck.Type{widget}, []stuck.Gap{cluster.StaleDiscoveryGap("argoproj.io", "v1alpha1")})
	if controller.Find(view, known(t), w1, finalizer).Complete {
		t.Error("it is said to be complete")
	}
}

// systemBinding is a role that may write widgets, and to whom it is bound.
func systemBinding(name, subjects string) string {
	return strings.NewReplacer("NAME", name, "SUBJECTS", subjects).Replace(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "NAME"}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: [patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "NAME"}
roleRef: {kind: ClusterRole, name: "NAME"}
subjects: [SUBJECTS]`)
}

// What fits many points at nobody, and is remembered.
func TestWeakCluesPointAtNobody(t *testing.T) {
	const jenkins = `apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ci, name: jenkins, uid: jenkins, labels: {app.kubernetes.io/part-of: platform}}
spec: {replicas: 1, selector: {matchLabels: {app: j}}, template: {metadata: {labels: {app: j}}, spec: {serviceAccountName: jenkins}}}
---
`
	for name, test := range map[string]struct {
		more string
		want controller.OtherActor
	}{
		"a role for people": {
			more: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: edit}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: shop, name: ci}
roleRef: {kind: ClusterRole, name: edit}
subjects: [{kind: ServiceAccount, namespace: ci, name: jenkins}]`,
			want: controller.OtherActor{Description: "deployment/jenkins -n ci (may write widgets.example.com (rolebinding/ci))", NotRunning: true},
		},
		"everything": {
			more: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: cluster-admin}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ci}
roleRef: {kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, namespace: ci, name: jenkins}, {kind: Group, name: "system:masters"}]`,
			want: controller.OtherActor{Description: "deployment/jenkins -n ci (may write all types)", NotRunning: true},
		},
		"all accounts": {
			more: `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: open}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: [patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: open}
roleRef: {kind: ClusterRole, name: open}
subjects: [{kind: Group, name: "system:serviceaccounts"}]`,
			want: controller.OtherActor{Description: "group system:serviceaccounts (clusterrolebinding/open)"},
		},
		"a user whose name begins like those of Kubernetes": {
			more: systemBinding("example-operator", "{kind: User, name: \"system:operator\"}, {kind: User, name: \"system:node:n1\"}, {kind: User, name: \"system:kube-scheduler\"}"),
			want: controller.OtherActor{Description: "user system:operator (clusterrolebinding/example-operator)"},
		},
		"a group that is called like a user of Kubernetes": {
			more: systemBinding("example-operator", "{kind: Group, name: \"system:kube-scheduler\"}, {kind: Group, name: \"system:nodes\"}"),
			want: controller.OtherActor{Description: "group system:kube-scheduler (clusterrolebinding/example-operator)"},
		},
		"a role whose name begins like those of Kubernetes": {
			more: systemBinding("system:example-operator", "{kind: User, name: operator}"),
			want: controller.OtherActor{Description: "user operator (clusterrolebinding/system:example-operator)"},
		},
		"a policy engine's webhook": {
			more: `apiVersion: v1
kind: Service
metadata: {namespace: ci, name: policies}
spec: {selector: {app: j}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policies}
webhooks: [{name: p, clientConfig: {service: {namespace: ci, name: policies}}, rules: [{apiGroups: [apps, example.com]}]}]`,
			want: controller.OtherActor{Description: "deployment/jenkins -n ci (serves validatingwebhookconfiguration/policies for API group example.com)", NotRunning: true},
		},
		"a webhook outside the cluster": {
			more: `apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: far}
webhooks: [{name: p, clientConfig: {url: "https://far.example.com"}, rules: [{apiGroups: [example.com]}]}]`,
			want: controller.OtherActor{Description: "the server at the URL of mutatingwebhookconfiguration/far for API group example.com", NotExaminable: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := newFakeSource(t, jenkins+test.more).find()
			if len(found.Candidates) > 0 || len(found.MissingTargets) > 0 {
				t.Errorf("suspects %v, traces %v", found.Candidates, found.MissingTargets)
			}
			if diff := cmp.Diff([]controller.OtherActor{test.want}, found.OtherActors); diff != "" {
				t.Errorf("others (-want +got):\n%s", diff)
			}
		})
	}
}

// A right on the one object by its name is a right.
func TestARightByName(t *testing.T) {
	for resourceName, want := range map[string]int{"w1": 1, "another": 0} {
		text := strings.Replace(healthy, "resources: [widgets]", "resources: [widgets], resourceNames: ["+resourceName+"]", 1)
		if found, _ := newFakeSource(t, text).find(); len(found.Candidates) != want {
			t.Errorf("with the right on %s the suspects are %v", resourceName, found.Candidates)
		}
	}
}

// Many may write Pods. That one may is no sign that it is the controller of a finalizer of which nothing is known; that it
// set the finalizer is one.
func TestARightOnABuiltInTypeNamesNobody(t *testing.T) {
	pods := stuck.Type{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Listable: true}
	for manager, want := range map[string]int{"mesh-agent": 0, "widget-operator": 1} {
		pod := stuck.Object{Type: pods, Namespace: "shop", Name: "front-0", UID: "uid-of-front-0", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"mesh.example.com/deregister"}}
		text := strings.Replace(healthy, "apiGroups: [example.com], resources: [widgets]", `apiGroups: [""], resources: [pods]`, 1) + `
apiVersion: v1
kind: Pod
metadata:
  namespace: shop
  name: front-0
  uid: uid-of-front-0
  managedFields: [{manager: ` + manager + `, operation: Update, time: "2026-03-01T01:00:00Z", fieldsV1: {"f:metadata": {"f:finalizers": {'v:"mesh.example.com/deregister"': {}}}}}]`
		source := newFakeSource(t, text)
		view := cluster.NewView(t.Context(), source, []stuck.Type{pods}, nil)
		found := controller.Find(view, known(t), pod, pod.Finalizers[0])
		if len(found.Candidates) != want {
			t.Errorf("set by %s: the suspects are %v", manager, found.Candidates)
		}
		possible := controller.OtherActor{Description: "deployment/widget-operator -n ops (may write pods (clusterrolebinding/widget-operator))", NotExaminable: true}
		if want == 0 && !slices.Contains(found.OtherActors, possible) {
			t.Errorf("set by %s: the others are %v", manager, found.OtherActors)
		}
		if gone, _, _ := controller.IsAbandoned(view, found); want == 0 && gone {
			t.Error("the finalizer is said to be abandoned")
		}
	}
}

// Where so many may write the type that not all could be looked at, that is
// said.
func TestTooManyPlaces(t *testing.T) {
	var many []string
	for i := range 25 {
		many = append(many, "{kind: ServiceAccount, name: a, namespace: team-"+string(rune('a'+i))+"}")
	}
	w := newFakeSource(t, strings.Replace(healthy, "subjects: [", "subjects: ["+strings.Join(many, ", ")+", ", 1))
	found, view := w.find()
	if found.Complete || len(view.Gaps()) != 1 || view.Gaps()[0].Source != "accounts that may write widgets.example.com" {
		t.Errorf("complete: %v, gaps: %v", found.Complete, view.Gaps())
	}
}
