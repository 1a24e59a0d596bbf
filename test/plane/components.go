package plane

import (
	"path/filepath"
	"strconv"
	"strings"
)

// The parts of a plane, by the names that [Plane.Stop] and [Plane.Start] take.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	SecondAPIServer   = "kube-apiserver-2"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// stopOrder stops the clients before the API server, and that before its etcd, without which it ignores SIGTERM.
var stopOrder = [][]string{{ControllerManager, Scheduler, Kwok}, {APIServer, SecondAPIServer}, {Etcd}}

// serviceRange holds the addresses that Services get; nothing routes them.
const (
	serviceRange   = "10.0.0.0/24"
	serviceAddress = "10.0.0.1"
)

// leaderElectionFlags lets the controller manager and the scheduler live through whatever holds up a busy machine: who cannot renew
// its lease within the deadline ends for good. Who starts in the place of one that was stopped need not wait that long,
// see [Plane.Start].
var leaderElectionFlags = []string{
	"--leader-elect=true",
	"--leader-elect-lease-duration=10m",
	"--leader-elect-renew-deadline=9m",
	"--leader-elect-retry-period=1s",
}

// newComponents are the parts with their command lines.
func (p *Plane) newComponents() []*component {
	parts := []*component{
		p.newComponent(Etcd, p.etcdFlags()),
		p.newComponent(APIServer, p.apiServerFlags(APIServer)),
		p.newComponent(ControllerManager, p.controllerManagerFlags()),
		p.newComponent(Scheduler, p.schedulerFlags()),
	}
	if p.options.SecondAPIServer {
		second := p.newComponent(SecondAPIServer, p.apiServerFlags(SecondAPIServer))
		second.program = filepath.Join(p.programs, APIServer)
		parts = append(parts, second)
	}
	if p.options.Kwok {
		parts = append(parts, p.newComponent(Kwok, p.kwokFlags()))
	}
	return parts
}

func (p *Plane) newComponent(name string, flags []string) *component {
	return &component{
		name:     name,
		program:  filepath.Join(p.programs, name),
		flags:    flags,
		dir:      p.Dir(),
		log:      p.Log(name),
		detached: p.options.Detached,
	}
}

// address is that of one of the plane's ports: of etcd for clients, of etcd for its peers, of all API servers, of the first of
// two, and of the second.
func (p *Plane) address(port int) string { return "127.0.0.1:" + strconv.Itoa(p.ports.numbers[port]) }

func (p *Plane) etcdAddress() string { return "http://" + p.address(0) }

// Server is the URL that everybody uses: that of the API server, or of both.
func (p *Plane) Server() string { return "https://" + p.address(2) }

// ServerOf is the URL of an API server itself, of two that one.
func (p *Plane) ServerOf(name string) string { return "https://" + p.address(p.apiServerPort(name)) }

func (p *Plane) apiServerPort(name string) int {
	switch {
	case name == SecondAPIServer:
		return 4
	case p.options.SecondAPIServer:
		return 3
	default:
		return 2
	}
}

func (p *Plane) etcdFlags() []string {
	peer := "http://" + p.address(1)
	return []string{
		"--name=plane",
		"--data-dir=" + p.file("etcd"),
		"--unsafe-no-fsync=true",
		"--listen-client-urls=" + p.etcdAddress(),
		"--advertise-client-urls=" + p.etcdAddress(),
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=plane=" + peer,
		"--log-level=warn",
	}
}

func (p *Plane) apiServerFlags(name string) []string {
	flags := []string{
		"--etcd-servers=" + p.etcdAddress(),
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(p.ports.numbers[p.apiServerPort(name)]),
		"--tls-cert-file=" + p.file("apiserver.crt"),
		"--tls-private-key-file=" + p.file("apiserver.key"),
		"--service-cluster-ip-range=" + serviceRange,
		"--allow-privileged=true",
		"--authorization-mode=RBAC",
		"--token-auth-file=" + p.file("tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + p.file("service-accounts.key"),
		"--service-account-signing-key-file=" + p.file("service-accounts.key"),
		"--audit-policy-file=" + p.file("audit-policy.yaml"),
		"--audit-log-path=" + p.auditLogOf(name),
		// One file for the plane's whole life: a position in it stays a position.
		"--audit-log-maxsize=100000",
		"--enable-aggregator-routing=" + strconv.FormatBool(p.options.EndpointRouting),
		"--proxy-client-cert-file=" + p.file("front-proxy-client.crt"),
		"--proxy-client-key-file=" + p.file("front-proxy-client.key"),
		"--requestheader-client-ca-file=" + p.file("front-proxy-ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
	}
	if p.options.StaticPolicies != "" {
		flags = append(flags, "--admission-control-config-file="+p.file(admissionFile))
	}
	if p.options.DisabledAdmission != "" {
		flags = append(flags, "--disable-admission-plugins="+p.options.DisabledAdmission)
	}
	if p.options.NoHistograms {
		flags = append(flags, "--disabled-metrics="+strings.Join(requestHistograms, ","))
	}
	return append(flags, p.endpointFlags(name)...)
}

// requestHistograms are the metrics of kube-apiserver that have a series for each type, verb and bucket.
var requestHistograms = []string{
	"apiserver_request_duration_seconds",
	"apiserver_request_sli_duration_seconds",
	"apiserver_request_body_size_bytes",
	"apiserver_response_sizes",
	"apiserver_storage_list_duration_seconds",
	"apiserver_watch_cache_initialization_duration_seconds",
	"apiserver_watch_cache_read_wait_seconds",
	"apiserver_watch_events_dispatch_duration_seconds",
	"apiserver_watch_events_sizes",
	"apiserver_watch_list_duration_seconds",
	"etcd_request_duration_seconds",
}

// endpointFlags are about the endpoints of the Service default/kubernetes. They may not be loopback addresses, and the servers have
// no others. Of two servers each says an address at which nothing is, so that they can be counted as in a real cluster.
func (p *Plane) endpointFlags(name string) []string {
	if !p.options.SecondAPIServer {
		return []string{"--endpoint-reconciler-type=none"}
	}
	return []string{"--endpoint-reconciler-type=lease", "--advertise-address=192.0.2." + strconv.Itoa(p.apiServerPort(name))}
}

func (p *Plane) controllerManagerFlags() []string {
	flags := append([]string{
		"--kubeconfig=" + p.Kubeconfig("system:kube-controller-manager"),
		"--secure-port=0",
		"--service-account-private-key-file=" + p.file("service-accounts.key"),
		"--root-ca-file=" + p.file("ca.crt"),
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--concurrent-namespace-syncs=50",
		// A Node that nobody heartbeats is noticed soon, whether it ever had a heartbeat or not, and not before kwok, which is
		// held up like everything else by a busy machine, has missed a dozen.
		"--node-monitor-period=2s",
		"--node-monitor-grace-period=24s",
		"--node-startup-grace-period=24s",
	}, leaderElectionFlags...)
	if p.options.Controllers != "" {
		flags = append(flags, "--controllers="+p.options.Controllers)
	}
	return flags
}

func (p *Plane) schedulerFlags() []string {
	return append([]string{
		"--kubeconfig=" + p.Kubeconfig("system:kube-scheduler"),
		"--secure-port=0",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	}, leaderElectionFlags...)
}

func (p *Plane) kwokFlags() []string {
	return []string{
		"--kubeconfig=" + p.Kubeconfig("kwok"),
		"--config=" + p.file("kwok.yaml"),
		"--manage-nodes-with-annotation-selector=" + kwokAnnotation + "=fake",
		// A quarter of this is the time between two heartbeats; it must be well under the grace period.
		"--node-lease-duration-seconds=8",
	}
}
