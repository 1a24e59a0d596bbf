package wait_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/wait"
)

// scene is a cluster that changes by a script, and a wait that follows it.
type scene struct {
	cluster.Source // nothing else is asked
	mu             sync.Mutex
	objects        map[string]stuck.Object
	version        int
	unreachable    error
	watches        []watched
	refused        bool // no scope can be watched
	silent         bool // watches report nothing

	deleted   []string
	onDeleted func() // what happens while a deletion is told
	states    []string
}

type watched struct {
	scope    wait.Scope
	observer wait.Observer
}

func newScene(objects ...stuck.Object) *scene {
	s := &scene{objects: map[string]stuck.Object{}, onDeleted: func() {}}
	for _, o := range objects {
		s.objects[o.Path()] = o
	}
	return s
}

func (s *scene) Now() time.Time { return clock() }

func (s *scene) Metadata(_ context.Context, t stuck.Type, namespace, name string) (*metav1.PartialObjectMetadata, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unreachable != nil {
		return nil, s.unreachable
	}
	o, ok := s.objects[t.Path(namespace, name)]
	if !ok {
		return nil, apierrors.NewNotFound(t.GVR().GroupResource(), name)
	}
	m := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Name: name, Namespace: namespace, UID: o.UID, ResourceVersion: o.ResourceVersion, Finalizers: o.Finalizers,
	}}
	if o.Deleting() {
		at := metav1.NewTime(o.DeletionTime)
		m.DeletionTimestamp = &at
	}
	return m, nil
}

func (s *scene) Scan(_ context.Context, t stuck.Type, sel cluster.Selection, visit func(stuck.Object)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unreachable != nil {
		return s.unreachable
	}
	for _, o := range s.objects {
		if o.Type.GVR() == t.GVR() && (sel.Namespace == "" || sel.Namespace == o.Namespace) && (sel.Name == "" || sel.Name == o.Name) {
			visit(o)
		}
	}
	return nil
}

func (s *scene) watch(ctx context.Context, scope wait.Scope, observer wait.Observer) {
	s.mu.Lock()
	refused := s.refused
	s.watches = append(s.watches, watched{scope, observer})
	s.mu.Unlock()
	if refused {
		observer.Failed(errors.New("forbidden"))
		return
	}
	<-ctx.Done()
}

// put changes an object, or deletes it, and notifies the watches.
func (s *scene) put(o stuck.Object, deleted bool) {
	s.mu.Lock()
	s.version++
	o.ResourceVersion = fmt.Sprint(s.version)
	s.objects[o.Path()] = o
	if deleted {
		delete(s.objects, o.Path())
	}
	var observers []wait.Observer
	for _, w := range s.watches {
		if !s.silent && w.scope.Type.GVR() == o.Type.GVR() && (w.scope.Selection.Name == "" || w.scope.Selection.Name == o.Name) {
			observers = append(observers, w.observer)
		}
	}
	s.mu.Unlock()
	for _, observer := range observers {
		observer.Changed(o, deleted)
	}
}

func (s *scene) run(t *testing.T, timeout, stall time.Duration, targets ...stuck.Object) (wait.Outcome, stuck.Progress, time.Duration) {
	t.Helper()
	begun := clock()
	options := wait.Options{
		Targets: targets, Types: []stuck.Type{configMaps, namespaces}, Source: s, Watch: s.watch, Timeout: timeout, Stall: stall, Clock: clock,
		OnDeleted: func(o stuck.Object) error { s.deleted = append(s.deleted, o.Name); s.onDeleted(); return nil },
		OnProgress: func(p stuck.Progress) error {
			if state := fmt.Sprint(len(p.Remaining), p.Content, p.Finalizers, len(p.Gaps)); len(s.states) == 0 || s.states[len(s.states)-1] != state {
				s.states = append(s.states, state)
			}
			return nil
		},
	}
	outcome, left, err := wait.Run(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return outcome, left, clock().Sub(begun).Truncate(time.Second)
}

func object(t stuck.Type, namespace, name string, finalizers ...string) stuck.Object {
	return stuck.Object{
		Type: t, Namespace: namespace, Name: name, UID: types.UID("uid-" + name), ResourceVersion: "0",
		DeletionTime: clock().Add(-time.Minute), Finalizers: finalizers,
	}
}

// later runs a step of the script some seconds after the beginning.
func later(seconds int, step func()) {
	time.AfterFunc(time.Duration(seconds)*time.Second+time.Millisecond, step)
}
