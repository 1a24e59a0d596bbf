package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

const (
	// full is a namespace that is being deleted and holds many objects.
	full = "full"
	// inFull is how many, and heldInFull how many of those cannot go.
	inFull     = 1000
	heldInFull = 10
)

// startAndFill starts a control plane and puts everything into it that does not depend on how large the load is. Its controllers
// are stopped then: they would only compete for the processor, and collect what the load leaves lying about.
func (b *bench) startAndFill(ctx context.Context) (*plane.Plane, error) {
	b.printf("starting a control plane (%s)", plane.Version())
	if err := plane.Build(ctx, plane.Version(), b.out); err != nil {
		return nil, err
	}
	p, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.Stop(plane.Scheduler); err != nil {
		return nil, err
	}
	l, err := b.load(p)
	if err != nil {
		return nil, err
	}
	b.printf("defining %d types and %d namespaces", b.crds, b.namespaces())
	if err := l.createCRDs(ctx); err != nil {
		return nil, err
	}
	for i := range b.namespaces() {
		if err := l.namespace(ctx, namespaceOf(i*perNamespace)); err != nil {
			return nil, err
		}
	}
	if err := l.namespace(ctx, full); err != nil {
		return nil, err
	}
	if err := l.awaitAccounts(ctx, b.namespaces()+1); err != nil {
		return nil, err
	}
	if err := p.Stop(plane.ControllerManager); err != nil {
		return nil, err
	}
	return p, errors.Join(l.expireLease(ctx, plane.ControllerManager), l.fillFull(ctx))
}

// expireLease lets a lease look as it does some time after its holder has ended: one that is held by nobody but looks held makes
// `explain` search the whole cluster for what its holder may hang on.
func (l *loader) expireLease(ctx context.Context, lease string) error {
	long := time.Now().Add(-time.Hour).UTC().Format(metav1.RFC3339Micro)
	patch := fmt.Appendf(nil, `{"spec":{"renewTime":%q}}`, long)
	_, err := l.kubernetes.CoordinationV1().Leases(metav1.NamespaceSystem).Patch(ctx, lease, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("letting the lease %s expire: %w", lease, err)
	}
	return nil
}

// memoryLimit is how much memory the programs of the control plane try to do with. Go would let the garbage of the API server grow as
// large as what it holds, and 320,000 objects would not fit into 24 GiB.
const memoryLimit = "15GiB"

func (b *bench) start(ctx context.Context) (*plane.Plane, error) {
	const limit = "GOMEMLIMIT"
	if err := os.Setenv(limit, memoryLimit); err != nil {
		return nil, fmt.Errorf("limiting the memory of the control plane: %w", err)
	}
	defer os.Unsetenv(limit) // what is measured has its own
	return plane.Start(ctx, plane.Options{Dir: b.dir, Detached: true})
}

func (b *bench) load(p *plane.Plane) (*loader, error) {
	config, err := p.Config(plane.Admin)
	if err != nil {
		return nil, err
	}
	return newLoad(config, b.crds)
}

// namespaces is how many the largest load needs.
func (b *bench) namespaces() int {
	most := b.objects
	for _, n := range b.growth {
		most = max(most, n)
	}
	return (most + perNamespace - 1) / perNamespace
}

func (l *loader) namespace(ctx context.Context, name string) error {
	_, err := l.kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s: %w", name, err)
	}
	return nil
}

// awaitAccounts waits until each namespace has the ServiceAccount that Pods need.
func (l *loader) awaitAccounts(ctx context.Context, namespaces int) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for tick := time.NewTicker(500 * time.Millisecond); ; {
		accounts, err := l.kubernetes.CoreV1().ServiceAccounts("").List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=default"})
		// Four namespaces are there from the beginning.
		if err == nil && len(accounts.Items) >= namespaces+4 {
			tick.Stop()
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(errors.New("waiting for the ServiceAccounts of the namespaces"), ctx.Err(), err)
		}
	}
}

// fillFull fills the one namespace and deletes it.
func (l *loader) fillFull(ctx context.Context) error {
	err := forEach(ctx, 0, inFull, func(ctx context.Context, i int) error {
		var finalizers []string
		if i%(inFull/heldInFull) == 0 {
			finalizers = []string{hold}
		}
		return l.create(ctx, i, full, finalizers)
	})
	if err != nil {
		return err
	}
	if err := l.kubernetes.CoreV1().Namespaces().Delete(ctx, full, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("deleting namespace %s: %w", full, err)
	}
	return nil
}
