package plane

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// startTimeout is for a busy machine; what is waited for usually takes a few seconds.
const startTimeout = 5 * time.Minute

var errComponentDied = errors.New("a part died")

// await asks until the answer is no error. A part that dies meanwhile ends it: no patience helps then.
func (p *Plane) await(ctx context.Context, what string, ask func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 25*time.Millisecond, startTimeout, true, func(ctx context.Context) (bool, error) {
		for _, part := range p.components {
			if part.hasDied() {
				last = fmt.Errorf("%s ended; the end of its log:\n%s", part.name, part.logTail())
				return false, errComponentDied
			}
		}
		last = ask(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", what, errors.Join(err, last))
	}
	return nil
}

// awaitAPIServer waits until an API server is ready, of two that one.
func (p *Plane) awaitAPIServer(ctx context.Context, name string) error {
	config, err := p.Config(Admin)
	if err != nil {
		return err
	}
	config.Host = p.ServerOf(name)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("setting up the client of %s: %w", name, err)
	}
	return p.await(ctx, "the API server", func(ctx context.Context) error { return ready(ctx, client) })
}

func ready(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
	return err
}

// awaitLease waits until a part leads: its lease was renewed since then, by the one that was started then.
func (p *Plane) awaitLease(ctx context.Context, name string, since time.Time) error {
	return p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		return p.await(ctx, "the lease of "+name, func(ctx context.Context) error {
			lease, err := client.CoordinationV1().Leases("kube-system").Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if acquired := lease.Spec.AcquireTime; acquired == nil || acquired.Time.Before(since) {
				return errors.New("its lease is an older one's")
			}
			return nil
		})
	})
}

// awaitServiceAccount waits for what a Pod in the default namespace needs.
func (p *Plane) awaitServiceAccount(ctx context.Context) error {
	return p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		return p.await(ctx, "the default ServiceAccount", func(ctx context.Context) error {
			_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
			return err
		})
	})
}
