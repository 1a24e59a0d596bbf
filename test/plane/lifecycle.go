package plane

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Start starts a part that was stopped, and returns when it does its work again.
func (p *Plane) Start(ctx context.Context, name string) error {
	if err := p.dropLease(ctx, name); err != nil {
		return err
	}
	since := time.Now()
	if err := p.spawn(ctx, name); err != nil {
		return err
	}
	switch name {
	case APIServer, SecondAPIServer:
		return p.awaitAPIServer(ctx, name)
	case ControllerManager, Scheduler:
		return p.awaitLease(ctx, name, since)
	case Kwok:
		return p.awaitNode(ctx)
	}
	return nil
}

// dropLease takes the lease away that a part has left behind when it was stopped.
func (p *Plane) dropLease(ctx context.Context, name string) error {
	part, err := p.find(name)
	if err != nil || part.running() != nil || name != ControllerManager && name != Scheduler {
		return err
	}
	return p.asAdmin(ctx, func(ctx context.Context, client kubernetes.Interface) error {
		err := client.CoordinationV1().Leases("kube-system").Delete(ctx, name, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("taking the lease of %s away: %w", name, err)
		}
		return nil
	})
}

// Stop stops a part and returns when it is gone. Its lease, if it had one, is there still, and runs out in ten minutes:
// who is to see that it has run out puts it back.
func (p *Plane) Stop(name string) error {
	part, err := p.find(name)
	if err != nil {
		return err
	}
	if err := part.stop(); err != nil {
		return err
	}
	return p.writePids()
}

// Close stops the whole plane and gives its ports back. Its directory stays, for whoever wants to read the logs.
func (p *Plane) Close() error {
	var failures []error
	for _, names := range stopOrder {
		failures = append(failures, p.stopTogether(names))
	}
	if p.balancer != nil {
		failures = append(failures, p.balancer.close())
	}
	return errors.Join(append(failures, p.writePids(), p.ports.release())...)
}

func (p *Plane) stopTogether(names []string) error {
	failures := make([]error, len(names))
	var group sync.WaitGroup
	for i, name := range names {
		if part, err := p.find(name); err == nil {
			group.Go(func() { failures[i] = part.stop() })
		}
	}
	group.Wait()
	return errors.Join(failures...)
}

// spawn starts a part without waiting for it to be of use.
func (p *Plane) spawn(ctx context.Context, name string) error {
	part, err := p.find(name)
	if err != nil {
		return err
	}
	if part.running() != nil {
		return fmt.Errorf("starting %s: it is running", name)
	}
	if err := part.start(ctx); err != nil {
		return err
	}
	return p.writePids()
}

func (p *Plane) find(name string) (*component, error) {
	part, ok := p.components[name]
	if !ok {
		return nil, fmt.Errorf("this control plane has no %q", name)
	}
	return part, nil
}
