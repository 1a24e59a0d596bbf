// Package plane starts and stops a real Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler and, if asked for, kwok) out of programs built from Go modules. Nothing needs to be installed, no
// container is run, and any number of planes can live side by side.
package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options say what to start, and where.
type Options struct {
	// Dir holds everything the plane writes; it must not exist yet or be empty.
	Dir string
	// Kwok also starts kwok and the Node node-1, so that Pods run without a kubelet.
	Kwok bool
	// Controllers is the --controllers flag of kube-controller-manager, such as "*,-garbage-collector-controller".
	Controllers string
	// StaticPolicies is a file with ValidatingAdmissionPolicies and their bindings that kube-apiserver reads at its start.
	StaticPolicies string
	// DisabledAdmission is the --disable-admission-plugins flag of kube-apiserver, such as "NamespaceLifecycle".
	DisabledAdmission string
	// EndpointRouting lets kube-apiserver send what is for a Service to its endpoints, rather than to its address, to which
	// nothing leads here.
	EndpointRouting bool
	// SecondAPIServer starts another API server on the same etcd. The address of the plane is then one for both.
	SecondAPIServer bool
	// NoHistograms leaves out the API server's histograms of requests: with many types it takes longer to collect these than to
	// answer, and the plugin reads none of them.
	NoHistograms bool
	// Detached parts outlive this process; [Down] stops them.
	Detached bool
}

// Plane is one running control plane.
type Plane struct {
	options    Options
	programs   string // where the programs are
	ports      *ports
	components map[string]*component
	balancer   *balancer // nil with one API server

	tenantLock sync.Mutex // guards what follows, and the making of the viewer's ClusterRole
	tenants    []string   // the namespaces that have a tenant, in the order in which they got one
}

// Start starts a control plane of the [Version] that [Build] has built, and returns when it is usable: the API server
// is ready, the controller manager leads, and a Pod can be created in the default namespace.
func Start(ctx context.Context, options Options) (*Plane, error) {
	p, err := prepare(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := p.startAll(ctx); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// prepare writes the files and takes the ports that the parts need.
func prepare(ctx context.Context, options Options) (*Plane, error) {
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the plane's directory: %w", err)
	}
	options.Dir = dir
	programs, err := verifiedProgramDir(Version())
	if err != nil {
		return nil, err
	}
	p := &Plane{options: options, programs: programs, components: map[string]*component{}}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("starting a control plane: %s is not empty", dir)
	}
	if err := os.MkdirAll(p.Bin(), 0o700); err != nil {
		return nil, fmt.Errorf("making the plane's directory: %w", err)
	}
	if p.ports, err = takePorts(ctx, 5); err != nil {
		return nil, err
	}
	if err := p.writeFiles(); err != nil {
		return nil, errors.Join(err, p.ports.release())
	}
	if options.SecondAPIServer {
		if p.balancer, err = startBalancer(ctx, p.address(2), []string{p.address(3), p.address(4)}); err != nil {
			return nil, errors.Join(err, p.ports.release())
		}
	}
	for _, each := range p.newComponents() {
		p.components[each.name] = each
	}
	return p, nil
}

func (p *Plane) writeFiles() error {
	writers := []func() error{p.writeCertificates, p.writeUsers, p.writeAuditPolicy, p.linkKubectl}
	if p.options.Kwok {
		writers = append(writers, p.writeKwokConfiguration)
	}
	if p.options.StaticPolicies != "" {
		writers = append(writers, p.writeStaticPolicies)
	}
	for _, write := range writers {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func (p *Plane) linkKubectl() error {
	if err := os.Symlink(filepath.Join(p.programs, "kubectl"), filepath.Join(p.Bin(), "kubectl")); err != nil {
		return fmt.Errorf("putting kubectl into the plane's bin: %w", err)
	}
	return nil
}

// startAll starts the parts. The clients of the API server start only when it is ready: kube-controller-manager gives up
// on an API server that takes longer than ten seconds.
func (p *Plane) startAll(ctx context.Context) error {
	since := time.Now()
	for _, name := range []string{Etcd, APIServer} {
		if err := p.spawn(ctx, name); err != nil {
			return err
		}
	}
	if err := p.awaitAPIServer(ctx, APIServer); err != nil {
		return err
	}
	if p.options.SecondAPIServer {
		if err := p.Start(ctx, SecondAPIServer); err != nil {
			return err
		}
	}
	clients := []string{ControllerManager, Scheduler}
	if p.options.Kwok {
		clients = append(clients, Kwok)
	}
	for _, name := range clients {
		if err := p.spawn(ctx, name); err != nil {
			return err
		}
	}
	return p.awaitClients(ctx, since)
}

func (p *Plane) awaitClients(ctx context.Context, since time.Time) error {
	if err := p.grantViewer(ctx); err != nil {
		return err
	}
	if p.options.Kwok {
		if err := p.createNode(ctx); err != nil {
			return err
		}
	}
	if err := p.awaitLease(ctx, ControllerManager, since); err != nil {
		return err
	}
	if err := p.awaitServiceAccount(ctx); err != nil {
		return err
	}
	if p.options.Kwok {
		return p.awaitNode(ctx)
	}
	return nil
}

// Dir is where everything of the plane is: its logs, certificates and kubeconfigs.
func (p *Plane) Dir() string { return p.options.Dir }

// Bin is a directory to put first in PATH; it holds the kubectl of the plane's version.
func (p *Plane) Bin() string { return p.file("bin") }

// Log is the log file of a part.
func (p *Plane) Log(part string) string { return p.file(part + ".log") }

// CacheDir is where kubectl remembers the API server's types. It is the plane's own, because kubectl goes by the server's
// address, and that may have been another plane's an hour ago.
func (p *Plane) CacheDir() string { return p.file("cache") }

// Env is the environment in which kubectl and its plugins talk to this plane as a user.
func (p *Plane) Env(user string) []string {
	return append(os.Environ(),
		"KUBECONFIG="+p.Kubeconfig(user),
		"KUBECACHEDIR="+p.CacheDir(),
		"PATH="+p.Bin()+string(os.PathListSeparator)+os.Getenv("PATH"),
		"PLANE_DIR="+p.Dir(),
	)
}

func (p *Plane) file(name string) string { return filepath.Join(p.options.Dir, name) }
