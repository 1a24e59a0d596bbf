package e2e

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// controllerMetricsScene are the metrics of a controller that hangs and does not lead.
const controllerMetricsScene = `
workqueue_depth{name="thing"} 12
workqueue_longest_running_processor_seconds{name="thing"} 7200
controller_runtime_reconcile_total{controller="thing",result="success"} 30
controller_runtime_reconcile_errors_total{controller="thing"} 0
leader_election_master_status{name="things"} 0
informer_queued_items{group="quiet.health.example.com",name="thing",resource="things",version="v1"} 4000
`

// managerMetricsScene are some of the metrics of a kube-controller-manager that leads, and whose controller for claims is disabled.
const managerMetricsScene = `
leader_election_master_status{name="kube-controller-manager"} 1
garbagecollector_controller_resources_sync_error_total 3
workqueue_depth{name="garbage_collector_attempt_to_delete"} 0
workqueue_depth{name="job"} 0
workqueue_depth{name="namespace"} 1
workqueue_depth{name="orphaned_pods_nodes"} 0
workqueue_depth{name="pvcs"} 0
workqueue_depth{name="pvprotection"} 0
workqueue_depth{name="resource_claim"} 0
workqueue_depth{name="resourcequota_primary"} 0
workqueue_work_duration_seconds_count{name="namespace"} 4
workqueue_work_duration_seconds_sum{name="namespace"} 6
`

// testControllerMetrics stands in for the program in a Pod: a Pod that is said to run has the address of this machine. The API
// server proxies to no loopback address. Its kube-controller-manager seems to lead for long, as it keeps the acquireTime of its Lease.
func testControllerMetrics(t *testing.T, p *plane.Plane) {
	address := nonLoopbackAddress(t)
	port, managerPort := serveMetrics(t, address, controllerMetricsScene, false), serveMetrics(t, address, managerMetricsScene, true)
	runSetup(t, p, strings.NewReplacer("ADDRESS", address, "MANAGER", managerPort, "PORT", port).Replace(`
kubectl patch deployment quiet-operator --type=merge -p '{"spec":{"replicas":1,"template":{"spec":{"schedulerName":"nobody"}}}}'
kubectl create -f - <<'END'
apiVersion: v1
kind: Pod
metadata: {name: quiet-operator-by-hand, labels: {app: quiet-operator}}
spec:
  schedulerName: nobody
  containers: [{name: c, image: registry.example.com/x, ports: [{name: metrics, containerPort: PORT}]}]
END
kubectl create -f - <<'END'
apiVersion: v1
kind: Pod
metadata: {name: kube-controller-manager-cp2, namespace: kube-system, labels: {component: kube-controller-manager}}
spec:
  schedulerName: nobody
  containers: [{name: kube-controller-manager, image: registry.example.com/x, command: [kube-controller-manager, "--secure-port=MANAGER"]}]
END
kubectl patch pod kube-controller-manager-cp2 -n kube-system --subresource=status --type=merge -p '{"status":{"phase":"Running","podIP":"ADDRESS","podIPs":[{"ip":"ADDRESS"}],"conditions":[{"type":"Ready","status":"True"}]}}'
kubectl patch lease kube-controller-manager -n kube-system --type=merge -p '{"spec":{"acquireTime":"2026-01-01T00:00:00.000000Z"}}'
kubectl patch pod quiet-operator-by-hand --subresource=status --type=merge -p '{"status":{"phase":"Running","podIP":"ADDRESS","podIPs":[{"ip":"ADDRESS"}],"conditions":[{"type":"Ready","status":"True"}]}}'
`))
	found := runHealth(t, p, plane.Admin, "--check", "controllers", "--controller-metrics")
	var kinds []string
	for _, f := range found.check(t, "controllers").Problems {
		if f.Subject.Name == "quiet-operator" {
			kinds = append(kinds, f.Reason)
		}
	}
	if !slices.Equal(kinds, []string{"controller-without-a-leader", "controller-overworked"}) {
		t.Errorf("its problems are %v", kinds)
	}
	found.wantProblem(t, "controllers", "quiet-operator", stuck.Warning, "work queue thing: a worker has processed one item for 120m (12 wait)", "informer of things.quiet.health.example.com: 4000 changes wait")
	found.wantProblem(t, "controllers", "persistentvolumeclaim-protection-controller", stuck.Unhealthy, "kube-controller-manager leads without its controller", "have no work queue pvcprotection", "PersistentVolumeClaim left -n default")
	details := strings.Join(found.check(t, "controllers").Details, "; ")
	for _, want := range []string{"running in the leader of kube-controller-manager (its work queues): namespace, garbage-collector, ", "1.5s on average each time that it works on a namespace", "could not sync all informers in time 3 times"} {
		if !strings.Contains(details, want) {
			t.Errorf("the details are %s", details)
		}
	}
	out, errOut, code := finalizers(t, p.Env(plane.Viewer), "health", "--check", "controllers", "--controller-metrics")
	wantOutput(t, code, 0, out+errOut, "metrics of pod/quiet-operator-by-hand -n default: forbidden", "--resource=pods/proxy")
}

// serveMetrics stands in for a program that serves metrics, at an address of this machine.
func serveMetrics(t *testing.T, address, metrics string, encrypted bool) (port string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, metrics)
	}))
	server.Listener.Close()
	server.Listener = listener
	if encrypted {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	if _, port, err = net.SplitHostPort(listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	return port
}

// nonLoopbackAddress is an address of this machine that is not loopback.
func nonLoopbackAddress(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.IsGlobalUnicast() && ip.To4() != nil {
			return ip.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}
