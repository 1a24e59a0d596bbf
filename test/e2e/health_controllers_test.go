package e2e

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestHealthOfControllers checks the controllers that watch, lead and remove finalizers, on a control plane whose controller manager
// is stopped in the end.
func TestHealthOfControllers(t *testing.T) {
	t.Parallel()
	p := planeWith(t, plane.Options{Controllers: "*,-persistentvolumeclaim-protection-controller"})
	runSetup(t, p, watchersScene)
	t.Run("watchers", func(t *testing.T) { testWatchers(t, p) })
	t.Run("a viewer", func(t *testing.T) { testWatchersAsViewer(t, p) })
	t.Run("a tenant", func(t *testing.T) { testWatchersAsTenant(t, p) })
	t.Run("several API servers", func(t *testing.T) { testOneReplicaStopped(t, p) })
	t.Run("leases", func(t *testing.T) { testExpiredLeases(t, p) })
	t.Run("a controller is disabled", func(t *testing.T) { testDisabledController(t, p) })
	t.Run("metrics", func(t *testing.T) { testControllerMetrics(t, p) })
	t.Run("a watch cache", func(t *testing.T) { testStaleCache(t, p) })
	t.Run("the controller manager is down", func(t *testing.T) { testControllerManagerStopped(t, p) })
}

// watchersScene are three types whose objects carry finalizers, one of each being deleted, and a Deployment that should
// remove those of the first.
const watchersScene = `
for group in quiet heard idle; do
  cat <<END
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.$group.health.example.com}
spec:
  group: $group.health.example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
---
END
done | kubectl create -f -
kubectl wait crd --all --for=condition=Established --timeout=5m
for group in quiet heard idle; do
  printf '{"apiVersion":"%s.health.example.com/v1","kind":"Thing","metadata":{"name":"it","namespace":"default","finalizers":["%s.health.example.com/hold"]}}' $group $group | kubectl create -f -
done
kubectl delete things.quiet.health.example.com/it things.heard.health.example.com/it --wait=false
kubectl create -f - <<'END'
apiVersion: apps/v1
kind: Deployment
metadata: {name: quiet-operator, namespace: default}
spec:
  replicas: 0
  selector: {matchLabels: {app: quiet-operator}}
  template:
    metadata: {labels: {app: quiet-operator}}
    spec:
      serviceAccountName: quiet-operator
      containers: [{name: c, image: registry.example.com/x}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: quiet-operator}
rules:
- {apiGroups: [quiet.health.example.com], resources: [things], verbs: [get, list, watch, update, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: quiet-operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: quiet-operator}
subjects: [{kind: ServiceAccount, namespace: default, name: quiet-operator}]
END
`

// testWatchers has a type that no controller watches, and one that an informer of this test watches.
func testWatchers(t *testing.T, p *plane.Plane) {
	runSetup(t, p, "kubectl create namespace health-brief && kubectl delete namespace health-brief --timeout=5m")
	startWatch(t, p, schema.GroupVersionResource{Group: "heard.health.example.com", Version: "v1", Resource: "things"})
	var found healthResult
	eventually(t, func() error { // once the types are so old that the garbage collector must have come to them
		found = runHealth(t, p, plane.Admin, "--check", "watchers")
		return found.checkProblem(t, "watchers", "things.quiet.health.example.com", stuck.Unhealthy, "no controller watches things.quiet.health.example.com",
			"quiet.health.example.com/hold", "Thing it -n default", "kubectl finalizers explain thing.quiet.health.example.com/it -n default")
	})
	found.wantProblem(t, "watchers", "things.idle.health.example.com", stuck.Warning, "a deleted object stays in Terminating")
	for _, f := range found.check(t, "watchers").Problems {
		if !slices.Contains([]string{"things.quiet.health.example.com", "things.idle.health.example.com"}, f.Subject.Name) {
			t.Errorf("%s has a problem: %s", f.Subject.Name, f.Message)
		}
	}
	if details := strings.Join(found.check(t, "watchers").Details, "; "); !strings.Contains(details, "1 namespace finalized through this API server since it started") {
		t.Errorf("the details are %s", details)
	}
	open := map[string]int{}
	for _, each := range found.Types {
		if each.Watchers != nil {
			open[each.Type] = *each.Watchers
		}
	}
	if open["things.heard.health.example.com"] < 2 || open["things.quiet.health.example.com"] > 1 || open["pods"] < 2 {
		t.Errorf("the open watches are %v", open)
	}
}

// testWatchersAsViewer may not read metrics, and gets the command that allows it.
func testWatchersAsViewer(t *testing.T, p *plane.Plane) {
	if _, err := p.Viewer(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := runHealth(t, p, plane.Viewer, "--check", "watchers")
	if c := found.check(t, "watchers"); c.State != stuck.Incomplete || len(c.Problems) > 0 || found.code != 4 {
		t.Errorf("without the metrics the check says more than that (%d): %+v", found.code, c)
	}
	out, errOut, code := finalizers(t, p.Env(plane.Viewer), "health", "--check", "watchers")
	wantOutput(t, code, 0, out+errOut, "/metrics: forbidden", "kubectl create clusterrole finalizers-metrics-reader --verb=get --non-resource-url=/metrics")
}

// testWatchersAsTenant may not list the objects that wait, so the check is incomplete.
func testWatchersAsTenant(t *testing.T, p *plane.Plane) {
	found := runHealth(t, p, tenantOf(t, p, "default"), "-n", "default", "--check", "controllers")
	if c := found.check(t, "controllers"); c.State != stuck.Incomplete || len(c.Problems) > 0 {
		t.Errorf("without the lists the check says more than that: %+v", c)
	}
	if !slices.ContainsFunc(found.Gaps, func(g report.Gap) bool { return g.Source == "things.quiet.health.example.com -n default" }) {
		t.Errorf("the gaps are %+v", found.Gaps)
	}
}

// testOneReplicaStopped pretends that there are two API servers: the other may have the watch that this one does not have.
func testOneReplicaStopped(t *testing.T, p *plane.Plane) {
	runSetup(t, p, `kubectl create -f - <<'END'
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: several, namespace: default, labels: {kubernetes.io/service-name: kubernetes}}
addressType: IPv4
endpoints: [{addresses: [192.0.2.1]}, {addresses: [192.0.2.2]}]
END`)
	found := runHealth(t, p, plane.Admin, "--check", "watchers")
	if c := found.check(t, "watchers"); c.State != stuck.Incomplete || len(c.Problems) > 0 || !slices.Contains(c.Details, "one of several API servers answered, for itself only") {
		t.Errorf("of several API servers the check says more than that: %+v", c)
	}
	runSetup(t, p, "kubectl delete endpointslice several")
}

// testStaleCache puts something into etcd that is no object: the API server's watch cache does not get past it.
func testStaleCache(t *testing.T, p *plane.Plane) {
	runSetup(t, p, `printf '{"apiVersion":"idle.health.example.com/v1","kind":"Thing","metadata":{"name":"a-first","namespace":"default"}}' | kubectl create -f -`)
	if err := p.WriteGarbage(t.Context(), "/registry/idle.health.example.com/things/default/it"); err != nil {
		t.Fatal(err)
	}
	runSetup(t, p, "kubectl create namespace health-later")
	found := runHealth(t, p, plane.Admin, "things.idle.health.example.com", "--check", "watchers")
	found.wantProblem(t, "watchers", "things.idle.health.example.com", stuck.Warning, "is behind etcd", "after a list was answered at", "late or not at all")
}

// testExpiredLeases has the Lease of a Deployment whose Pods run, one of software that was uninstalled, and a heartbeat, which is
// no Lease of leader election.
func testExpiredLeases(t *testing.T, p *plane.Plane) {
	runSetup(t, p, `
lease() {
  printf '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"%s","namespace":"default"},"spec":{"holderIdentity":"%s_1","leaseDurationSeconds":15,"renewTime":"%s"%s}}' "$@" | kubectl create -f -
}
kubectl create deployment runner --image=registry.example.com/x
kubectl rollout status deployment/runner --timeout=5m
led=',"acquireTime":"2026-01-01T00:00:00.000000Z","leaseTransitions":3'
lease runner gone-1 2026-01-01T00:00:00.000000Z "$led"
lease left-behind gone-1 2026-01-01T00:00:00.000000Z "$led"
lease early bird-1 2099-01-01T00:00:00.000000Z "$led"
lease heartbeat machine-1 2026-01-01T00:00:00.000000Z ''
`)
	found := runHealth(t, p, plane.Admin, "--check", "controllers")
	found.wantProblem(t, "controllers", "runner", stuck.Unhealthy, "no pod of deployment/runner -n default leads", "gone-1", "kubectl -n default rollout restart deployment/runner")
	found.wantProblem(t, "controllers", "left-behind", stuck.Warning, "lease/left-behind -n default expired", "gone-1")
	found.wantProblem(t, "controllers", "early", stuck.Warning, "in the future: the clock of its holder is ahead")
	found.wantProblem(t, "controllers", "quiet-operator", stuck.Unhealthy, "is scaled to 0", "quiet.health.example.com/hold on things.quiet.health.example.com",
		"Thing it -n default", "kubectl -n default scale deployment/quiet-operator --replicas=1")
	found.wantExplained(t, p, "controller-scaled-to-zero")
	for _, f := range found.check(t, "controllers").Problems {
		if f.Subject.Name == "heartbeat" {
			t.Errorf("heartbeat is no lease of leader election: %s", f.Message)
		}
	}
}

// testDisabledController has a claim that waits for a controller of kube-controller-manager that its flags disable. Only the Pod in
// which the flags stand is invented.
func testDisabledController(t *testing.T, p *plane.Plane) {
	runSetup(t, p, `
kubectl create -f - <<'END'
apiVersion: v1
kind: Pod
metadata: {name: kube-controller-manager-cp1, namespace: kube-system, labels: {component: kube-controller-manager}}
spec:
  nodeName: node-1
  containers: [{name: kube-controller-manager, image: registry.example.com/x, command: [kube-controller-manager, "--controllers=*,-persistentvolumeclaim-protection-controller"]}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: left, namespace: default}
spec: {accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}
END
kubectl delete pvc left -n default --wait=false`)
	eventually(t, func() error { // once the claim has waited long enough to be stuck
		found := runHealth(t, p, plane.Admin, "--check", "controllers")
		details := strings.Join(found.check(t, "controllers").Details, "; ")
		if !strings.Contains(details, "enabled in kube-controller-manager (flags of its pods): namespace, garbage-collector, ") {
			t.Errorf("the details are %s", details)
		}
		return found.checkProblem(t, "controllers", "persistentvolumeclaim-protection-controller", stuck.Unhealthy,
			"kube-controller-manager runs without its controller", "PersistentVolumeClaim left -n default", "kubernetes.io/pvc-protection is not removed")
	})
	for _, f := range runHealth(t, p, plane.Admin, "--check", "controllers").check(t, "controllers").Problems {
		if f.Reason == "built-in-controller-disabled" && f.Subject.Name != "persistentvolumeclaim-protection-controller" {
			t.Errorf("%s is enabled: %s", f.Subject.Name, f.Message)
		}
	}
	runSetup(t, p, "kubectl delete pod -n kube-system kube-controller-manager-cp1 --grace-period=0 --force")
}

// testControllerManagerStopped has no leader, and no garbage collector that deletes the lock of a missing pod.
func testControllerManagerStopped(t *testing.T, p *plane.Plane) {
	if err := p.Stop(plane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	runSetup(t, p, `
kubectl patch lease -n kube-system kube-controller-manager --type=merge -p '{"spec":{"renewTime":"2026-01-01T00:00:00.000000Z"}}'
kubectl create -f - <<'END'
apiVersion: v1
kind: ConfigMap
metadata:
  name: operator-lock
  namespace: default
  ownerReferences: [{apiVersion: v1, kind: Pod, name: operator-0, uid: 00000000-0000-0000-0000-000000000001}]
END`)
	found := runHealth(t, p, plane.Admin, "configmaps", "--check", "controllers")
	found.wantProblem(t, "controllers", "kube-controller-manager", stuck.Unhealthy, "lease/kube-controller-manager -n kube-system expired", "namespaces, claims, volumes", "kubectl -n kube-system get pods -l component=kube-controller-manager")
	found.wantProblem(t, "controllers", "operator-lock", stuck.Unhealthy, "is the leader-for-life lock of pod/operator-0, which does not exist", "kubectl -n default delete configmap operator-lock")
	if found.code != 2 {
		t.Errorf("it ends with %d", found.code)
	}
}
