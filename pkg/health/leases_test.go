package health

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// newLease is a Lease of leader election, renewed so long ago.
func newLease(namespace, name, holder string, renewed time.Duration, seconds int64) map[string]any {
	at := func(ago time.Duration) string { return now.Add(-ago).Format("2006-01-02T15:04:05.000000Z") }
	return map[string]any{
		"metadata": map[string]any{"namespace": namespace, "name": name, "creationTimestamp": now.Add(-24 * time.Hour).Format(time.RFC3339)},
		"spec": map[string]any{
			"holderIdentity": holder, "leaseDurationSeconds": seconds, "renewTime": at(renewed), "acquireTime": at(time.Hour), "leaseTransitions": int64(3),
		},
	}
}

// withSpec is a Lease whose spec is another in some fields.
func withSpec(l map[string]any, fields map[string]any) map[string]any {
	for key, value := range fields {
		l["spec"].(map[string]any)[key] = value
	}
	return l
}

// operatorDeployment is a Deployment in namespace ops that wants so many Pods, and has one
// that is ready.
func operatorDeployment(replicas int64) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"namespace": "ops", "name": "operator", "uid": "1"},
		"spec":     map[string]any{"replicas": replicas}, "status": map[string]any{"readyReplicas": replicas},
	}
}

func TestLeases(t *testing.T) {
	const gone = `pod "gone" not found`
	manager := func(renewed time.Duration) map[string]any {
		return newLease("kube-system", "kube-controller-manager", "node_1", renewed, 15)
	}
	heartbeat := withSpec(newLease("kube-system", "apiserver-1", "apiserver-1_1", 0, 3600), map[string]any{"acquireTime": nil, "leaseTransitions": nil})
	tests := map[string]struct {
		leases []map[string]any
		// runs is the Deployment in namespace ops, pods those that exist there.
		runs map[string]any
		pods []string
		// silent is how long ago the API server renewed its own Lease.
		silent time.Duration
		state  stuck.State
		want   string
	}{
		"healthy":                   {leases: []map[string]any{manager(2 * time.Second), newLease("ops", "a", "operator-7d4f9c-x2x4z_1", 0, 15)}},
		"a moment late":             {leases: []map[string]any{manager(20 * time.Second)}},
		"the manager is down":       {leases: []map[string]any{manager(time.Minute)}, state: stuck.Unhealthy, want: "kube-controller-manager does not lead"},
		"no workload":               {leases: []map[string]any{newLease("ops", "a", "gone", time.Hour, 15)}, state: stuck.Warning, want: "lease/a -n ops expired"},
		"its workload is there":     {leases: []map[string]any{newLease("ops", "operator", "gone", time.Hour, 15)}, runs: operatorDeployment(1), state: stuck.Unhealthy, want: "no pod of deployment/operator -n ops leads"},
		"it is known by its holder": {leases: []map[string]any{newLease("ops", "a", "operator-7d4f9c-x2x4z_1", time.Hour, 15)}, runs: operatorDeployment(1), state: stuck.Unhealthy, want: "leads"},
		"it is scaled to zero":      {leases: []map[string]any{newLease("ops", "operator", "gone", time.Hour, 15)}, runs: operatorDeployment(0), state: stuck.Warning, want: "scaled to 0"},
		"another version leads": {
			leases: []map[string]any{newLease("ops", "operator", "gone", time.Hour, 15), newLease("ops", "b", "operator-7d4f9c-x2x4z_1", 0, 15)},
			runs:   operatorDeployment(1), state: stuck.Warning, want: "leads by another lock",
		},
		"its pod is there":             {leases: []map[string]any{newLease("ops", "a", "bare", time.Hour, 15)}, pods: []string{"bare"}, state: stuck.Unhealthy, want: "but its holder pod/bare exists"},
		"released just now":            {leases: []map[string]any{newLease("ops", "operator", "", 10*time.Second, 1)}, runs: operatorDeployment(1)},
		"released, and never acquired": {leases: []map[string]any{newLease("ops", "operator", "", 10*time.Minute, 1)}, runs: operatorDeployment(1), state: stuck.Unhealthy, want: "leads"},
		"in the future":                {leases: []map[string]any{newLease("ops", "a", "gone", -10*time.Minute, 15)}, state: stuck.Warning, want: "10m in the future"},
		"in a second":                  {leases: []map[string]any{newLease("ops", "a", "gone", -time.Second, 15)}},
		"many holders":                 {leases: []map[string]any{withSpec(newLease("ops", "a", "x", 0, 15), map[string]any{"leaseTransitions": int64(500)})}, state: stuck.Warning, want: "changed its holder 500 times in 24h"},
		"a heartbeat":                  {leases: []map[string]any{withSpec(heartbeat, map[string]any{"renewTime": now.Add(-time.Hour).Format("2006-01-02T15:04:05.000000Z")})}},
		"no times at all":              {leases: []map[string]any{withSpec(newLease("ops", "a", "x", 0, 15), map[string]any{"renewTime": nil, "leaseDurationSeconds": nil})}},
		"no write succeeds":            {leases: []map[string]any{manager(time.Hour), newLease("ops", "a", "gone", time.Hour, 15)}, silent: time.Hour, state: stuck.Unhealthy, want: "no lease is renewed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := newRecordedChecker(t, leaseAnswers(test.leases, test.runs, test.pods, test.silent, gone)...).checkLeases(nil, nil)
			switch {
			case test.want == "" && len(got.problems) > 0:
				t.Errorf("there is a problem: %+v", got.problems)
			case test.want != "" && (len(got.problems) != 1 || got.problems[0].State != test.state || !strings.Contains(got.problems[0].Message, test.want)):
				t.Errorf("it is not said that %q, as a %s: %+v", test.want, test.state, got.problems)
			}
			if strings.Contains(fmt.Sprint(got.problems), "<") {
				t.Errorf("it has words that are none: %+v", got.problems)
			}
		})
	}
}

// With TYPE arguments the Leases of other software than the controllers of these types are
// left out, but not those of the control plane.
func TestLeasesOfTypes(t *testing.T) {
	leases := []map[string]any{
		newLease("kube-system", "kube-controller-manager", "node_1", time.Hour, 15),
		newLease("ops", "operator", "gone", time.Hour, 15), newLease("ops", "other", "gone", time.Hour, 15),
	}
	c := newRecordedChecker(t, leaseAnswers(leases, operatorDeployment(1), nil, 0, "gone")...)
	c.Types, c.Served = []stuck.Type{widgets}, []stuck.Type{pods, widgets}
	w := &controllerWorkload{Candidate: controller.Candidate{Workload: cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "operator"}}}
	c.snapshot.deleting = []stuck.Object{
		{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "shop", DeletionTime: now.Add(-time.Hour)},
		{Type: widgets, Namespace: "shop", Name: "w1", DeletionTime: now.Add(-time.Hour), Finalizers: []string{"example.com/hold"}},
		{Type: widgets, Namespace: "shop", Name: "w2", DeletionTime: now.Add(time.Hour), Finalizers: []string{"example.com/hold"}},
	}
	w.finalizers = []typeFinalizer{{cluster.TypeNameOf(widgets), "example.com/hold"}}
	blocks := map[string]string{}
	for _, problem := range c.checkLeases(map[stuck.Culprit]*controllerWorkload{w.Culprit(): w}, nil).problems {
		var names []string
		for _, o := range stuck.BlockedBy(problem) {
			names = append(names, o.RefInNamespace())
		}
		blocks[problem.Subject.Name] = strings.Join(names, ", ")
	}
	want := map[string]string{"kube-controller-manager": "namespace/shop", "operator": "namespace/shop, widget.example.com/w1 -n shop"}
	if !maps.Equal(blocks, want) {
		t.Errorf("the problems block %v, not %v", blocks, want)
	}
}

// leaseAnswers are all that is asked about Leases.
func leaseAnswers(leases []map[string]any, runs map[string]any, pods []string, silent time.Duration, gone string) []recording.Answer {
	const list = "list leases.coordination.k8s.io"
	own := withSpec(newLease("kube-system", "apiserver-1", "apiserver-1_1", silent, 3600), map[string]any{"acquireTime": nil})
	var deployments, ops []map[string]any
	if runs != nil {
		deployments = append(deployments, runs)
	}
	for _, l := range leases {
		if l["metadata"].(map[string]any)["namespace"] == "ops" {
			ops = append(ops, l)
		}
	}
	answers := []recording.Answer{
		{Question: list + " where metadata.namespace!=kube-node-lease", Objects: leases},
		{Question: list + " in kube-system with labels apiserver.kubernetes.io/identity=kube-apiserver", Objects: []map[string]any{own}},
		{Question: list + " in ops", Objects: ops},
		{Question: "list deployments.apps in ops", Objects: deployments},
		{Question: "list statefulsets.apps in ops"},
		{Question: "list daemonsets.apps in ops"},
		{Question: "scan configmaps in ops"},
	}
	for _, pod := range []string{"gone", "x", "node", "apiserver-1", "operator-7d4f9c-x2x4z"} {
		answers = append(answers, recording.Answer{
			Question: "metadata of pods/" + pod + " in ops", Error: &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound, Message: gone},
		})
	}
	for _, pod := range pods {
		answers = append(answers, recording.Answer{Question: "metadata of pods/" + pod + " in ops", Objects: []map[string]any{{"metadata": map[string]any{"name": pod}}}})
	}
	return answers
}
