package operators

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// pollInterval is the time between two looks at the Pods of the operator.
const pollInterval = 200 * time.Millisecond

// stopGrace is what the program gets to end in good order.
const stopGrace = 10 * time.Second

// Process runs an operator's program in place of the kubelet, which a plane does not have: for as long as one of the operator's
// Pods runs, which kwok and the controllers of the plane decide.
type Process struct {
	Operator Operator
	Program  string
	Plane    *plane.Plane
	// Dir is where its kubeconfig, its certificate and its log are written.
	Dir string
}

// Log is the file that the program writes to.
func (p Process) Log() string { return filepath.Join(p.Dir, "operator.log") }

func (p Process) kubeconfig() string { return filepath.Join(p.Dir, "operator.kubeconfig") }

// Run runs the program whenever it should run, until the context ends.
func (p Process) Run(ctx context.Context) error {
	config, err := p.Plane.Config(plane.Admin)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	for ctx.Err() == nil {
		pod := p.waitForPod(ctx, client, func(pod string) bool { return pod != "" })
		if err := p.runFor(ctx, client, pod); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// runFor runs the program until the Pod no longer does. A program that ends by itself is started again.
func (p Process) runFor(ctx context.Context, client kubernetes.Interface, pod string) error {
	if err := p.writeKubeconfig(ctx, client); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		p.waitForPod(running, client, func(now string) bool { return now != pod })
	}()
	for running.Err() == nil {
		if err := p.exec(running); err != nil {
			return err
		}
		select {
		case <-running.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

// exec runs the program once.
func (p Process) exec(ctx context.Context) error {
	log, err := os.OpenFile(p.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log of %s: %w", p.Operator.Name(), err)
	}
	defer func() { _ = log.Close() }() // the program has its own
	args, err := p.args(ctx)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, p.Program, args...)
	command.Dir, command.Stdout, command.Stderr = p.Dir, log, log
	command.Env = slices.Concat(os.Environ(), p.Operator.Env, []string{"KUBECONFIG=" + p.kubeconfig()})
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopGrace
	err = command.Run()
	if exit := new(exec.ExitError); err == nil || errors.As(err, &exit) || ctx.Err() != nil {
		return nil // how it ended is in its log
	}
	return fmt.Errorf("running %s: %w", p.Operator.Name(), err)
}

// args are the arguments of the program, and what they name is there.
func (p Process) args(ctx context.Context) ([]string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("finding a free port: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err := errors.Join(err, listener.Close()); err != nil {
		return nil, fmt.Errorf("finding a free port: %w", err)
	}
	if err := p.writeCertificate(); err != nil {
		return nil, err
	}
	replace := strings.NewReplacer("KUBECONFIG", p.kubeconfig(), "CERTIFICATES", p.Dir, "PORT", port)
	args := make([]string, 0, len(p.Operator.Args))
	for _, arg := range p.Operator.Args {
		args = append(args, replace.Replace(arg))
	}
	return args, nil
}

// writeCertificate writes a certificate and its key for a program that does not start without them.
func (p Process) writeCertificate() error {
	certificate, key, err := cert.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		return fmt.Errorf("making a certificate: %w", err)
	}
	err = os.WriteFile(filepath.Join(p.Dir, "tls.crt"), certificate, 0o600)
	if err := errors.Join(err, os.WriteFile(filepath.Join(p.Dir, "tls.key"), key, 0o600)); err != nil {
		return fmt.Errorf("writing a certificate: %w", err)
	}
	return nil
}

// waitForPod waits until the Pod that the program runs for is the one that is wanted. It is empty while there is none.
func (p Process) waitForPod(ctx context.Context, client kubernetes.Interface, wanted func(pod string) bool) string {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-tick.C:
		}
		pods, err := client.CoreV1().Pods(p.Operator.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue // the API server may be busy
		}
		if pod := p.podOf(pods.Items); wanted(pod) {
			return pod
		}
	}
}

// podOf is the first of the operator's Pods that runs.
func (p Process) podOf(pods []corev1.Pod) string {
	for _, pod := range pods {
		if pod.Spec.ServiceAccountName == p.Operator.ServiceAccount && pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
			return string(pod.UID)
		}
	}
	return ""
}

// writeKubeconfig writes a kubeconfig with a token of the operator's ServiceAccount.
func (p Process) writeKubeconfig(ctx context.Context, client kubernetes.Interface) error {
	token, err := client.CoreV1().ServiceAccounts(p.Operator.Namespace).
		CreateToken(ctx, p.Operator.ServiceAccount, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("asking for a token of %s: %w", p.Operator.ServiceAccount, err)
	}
	server, err := p.Plane.Config(plane.Admin)
	if err != nil {
		return err
	}
	config := api.NewConfig()
	config.Clusters["plane"] = &api.Cluster{Server: server.Host, CertificateAuthority: server.CAFile}
	config.AuthInfos["operator"] = &api.AuthInfo{Token: token.Status.Token}
	config.Contexts["plane"] = &api.Context{Cluster: "plane", AuthInfo: "operator", Namespace: p.Operator.Namespace}
	config.CurrentContext = "plane"
	if err := clientcmd.WriteToFile(*config, p.kubeconfig()); err != nil {
		return fmt.Errorf("writing the kubeconfig of %s: %w", p.Operator.ServiceAccount, err)
	}
	return nil
}
