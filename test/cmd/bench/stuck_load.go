package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

const (
	// settled is the age of a CustomResourceDefinition at which all controllers of Kubernetes itself watch its type: until then
	// the number of watches proves nothing.
	settled = 90 * time.Second
	// patience is how long anything that is waited for may take.
	patience = 10 * time.Minute
	// deletedNamespace is the namespace that is deleted too, and otherNamespace one that is not.
	deletedNamespace = 0
	otherNamespace   = 1
)

// heldNamespace is the namespace of a number.
func heldNamespace(n int) string { return fmt.Sprintf("stuck-%04d", n) }

// heldFinalizer is the finalizer of a type: that of an operator that serves the whole API group, and that does not run.
func heldFinalizer(kind int) string { return groupOf(kind) + "/hold" }

// namespaceOf spreads the objects so that as few as possible share type and namespace: what holds for one then has to be found
// out for each.
func (l stuckLoad) namespaceOf(i int) int { return (i/l.Types + i) % l.Namespaces }

// fill creates the load, and returns when it is as the commands are to find it.
func (s *stuckBench) fill(ctx context.Context, p *plane.Plane, l *loader) error {
	ctx, cancel := context.WithTimeout(ctx, 6*patience)
	defer cancel()
	s.printf("defining %d types and %d namespaces", s.load.CRDs, s.load.Namespaces)
	if err := l.createCRDs(ctx); err != nil {
		return err
	}
	if err := forEach(ctx, 0, s.load.Namespaces, func(ctx context.Context, i int) error { return l.namespace(ctx, heldNamespace(i)) }); err != nil {
		return err
	}
	if err := forEach(ctx, 0, s.load.CRDs, l.awaitServed); err != nil {
		return err
	}
	s.printf("deleting %d objects that are held", s.load.Objects)
	if err := forEach(ctx, 0, s.load.Objects, func(ctx context.Context, i int) error { return s.hold(ctx, l, i) }); err != nil {
		return err
	}
	name := heldNamespace(deletedNamespace)
	if err := l.kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("deleting namespace %s: %w", name, err)
	}
	return s.awaitFilled(ctx, p, l)
}

// awaitFilled waits until the API server says of all that is stuck that it is, and then creates the rest.
func (s *stuckBench) awaitFilled(ctx context.Context, p *plane.Plane, l *loader) error {
	if err := l.awaitHeldNamespace(ctx, heldNamespace(deletedNamespace)); err != nil {
		return err
	}
	if err := s.awaitDeleting(ctx, l); err != nil {
		return err
	}
	if err := s.awaitSettled(ctx, l); err != nil {
		return err
	}
	return s.fillIdle(ctx, p, l)
}

// fillIdle creates what nobody deletes, in the namespaces that stay. The controllers are stopped before: they would collect the
// Pods, whose owner does not exist.
func (s *stuckBench) fillIdle(ctx context.Context, p *plane.Plane, l *loader) error {
	if s.load.Idle == 0 {
		return nil
	}
	if err := l.awaitAccounts(ctx, s.load.Namespaces-1); err != nil {
		return err
	}
	if err := errors.Join(p.Stop(plane.Scheduler), p.Stop(plane.ControllerManager), l.expireLease(ctx, plane.ControllerManager)); err != nil {
		return err
	}
	s.printf("creating %d objects that are not deleted", s.load.Idle)
	return forEach(ctx, 0, s.load.Idle, func(ctx context.Context, i int) error {
		namespace := heldNamespace(otherNamespace + i%(s.load.Namespaces-otherNamespace))
		return l.create(ctx, i, namespace, nil)
	})
}

// hold creates an object and deletes it.
func (s *stuckBench) hold(ctx context.Context, l *loader, i int) error {
	kind, name := i%s.load.Types, heldName(i)
	client := l.objects(kind, heldNamespace(s.load.namespaceOf(i)))
	_, err := client.Create(ctx, custom(kind, name, []string{heldFinalizer(kind)}), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating object %d: %w", i, err)
	}
	if err := client.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("deleting object %d: %w", i, err)
	}
	return nil
}

func heldName(i int) string { return fmt.Sprintf("held-%d", i) }

// objects are the objects of a custom type in a namespace, or in all.
func (l *loader) objects(kind int, namespace string) dynamic.ResourceInterface {
	return l.dynamic.Resource(customType(kind)).Namespace(namespace)
}

// awaitServed waits until a custom type is served.
func (l *loader) awaitServed(ctx context.Context, kind int) error {
	return await(ctx, customType(kind).String()+" is served", func(ctx context.Context) error {
		_, err := l.objects(kind, "").List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
}

// awaitHeldNamespace waits until the namespace controller has found out what holds a namespace.
func (l *loader) awaitHeldNamespace(ctx context.Context, name string) error {
	return await(ctx, "namespace/"+name+" waits for finalizers", func(ctx context.Context) error {
		ns, err := l.kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range ns.Status.Conditions {
			if c.Type == corev1.NamespaceFinalizersRemaining && c.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return errors.New("no condition says so")
	})
}

// awaitDeleting waits until all objects are being deleted, as lists show them.
func (s *stuckBench) awaitDeleting(ctx context.Context, l *loader) error {
	return await(ctx, fmt.Sprintf("%d objects are being deleted", s.load.Objects), func(ctx context.Context) error {
		deleting := 0
		for kind := range s.load.Types {
			list, err := l.objects(kind, "").List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, o := range list.Items {
				if o.GetDeletionTimestamp() != nil {
					deleting++
				}
			}
		}
		if deleting != s.load.Objects {
			return fmt.Errorf("there are %d", deleting)
		}
		return nil
	})
}

// awaitSettled waits until no CustomResourceDefinition is young.
func (s *stuckBench) awaitSettled(ctx context.Context, l *loader) error {
	s.printf("waiting until the youngest type is older than %s", settled)
	return await(ctx, "all types are old enough", func(ctx context.Context) error {
		list, err := l.dynamic.Resource(crdType).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, crd := range list.Items {
			if age := time.Since(crd.GetCreationTimestamp().Time); age <= settled {
				return fmt.Errorf("%s is %s old", crd.GetName(), age.Round(time.Second))
			}
		}
		return nil
	})
}

// await asks until there is no error any more.
func await(ctx context.Context, what string, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, errors.Join(ctx.Err(), err))
		}
	}
}
