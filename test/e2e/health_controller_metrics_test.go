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

// testControllerMetrics stands in for the program in a Pod: a Pod that is said to run has the address of this machine. The API
// server proxies to no loopback address.
func testControllerMetrics(t *testing.T, p *plane.Plane) {
	address := nonLoopbackAddress(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, controllerMetricsScene)
	}))
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	runSetup(t, p, strings.NewReplacer("ADDRESS", address, "PORT", port).Replace(`
kubectl patch deployment quiet-operator --type=merge -p '{"spec":{"replicas":1,"template":{"spec":{"schedulerName":"nobody"}}}}'
kubectl create -f - <<'END'
apiVersion: v1
kind: Pod
metadata: {name: quiet-operator-by-hand, labels: {app: quiet-operator}}
spec:
  schedulerName: nobody
  containers: [{name: c, image: registry.example.com/x, ports: [{name: metrics, containerPort: PORT}]}]
END
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
	out, errOut, code := finalizers(t, p.Env(plane.Viewer), "health", "--check", "controllers", "--controller-metrics")
	wantOutput(t, code, 0, out+errOut, "metrics of pod/quiet-operator-by-hand -n default: forbidden", "--resource=pods/proxy")
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
