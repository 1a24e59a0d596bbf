package wait_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/wait"
)

var (
	configMaps = stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true, Listable: true}
	namespaces = stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace", Listable: true}
	clock      = time.Now //nolint:forbidigo // the clock of the test's bubble
)

// A namespace is followed through its content, and while that becomes less the wait goes on.
func TestFollowsNamespace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, a, b := object(namespaces, "", "shop"), object(configMaps, "shop", "a", "x"), object(configMaps, "shop", "b", "x", "y")
		s := newScene(shop, a, b)
		later(50, func() { s.put(a, true) })
		later(100, func() { b.Finalizers = []string{"x"}; s.put(b, false) })
		later(150, func() { s.put(b, true) })
		later(151, func() { s.put(shop, true) })
		outcome, _, took := s.run(t, time.Hour, time.Minute, shop)
		want := []string{"1 [2 configmaps] [2 x 1 y] 0", "1 [1 configmap] [1 x 1 y] 0", "1 [1 configmap] [1 x] 0", "1 [] [] 0"}
		if outcome != wait.Deleted || took != 151*time.Second || !slices.Equal(s.states, want) || !slices.Equal(s.deleted, []string{"shop"}) {
			t.Errorf("%s after %s: %q; deleted: %q", outcome, took, s.states, s.deleted)
		}
	})
}

// What moves ends a stall, and what only seems to move does not.
func TestStall(t *testing.T) {
	const stall = 30 * time.Second
	for name, test := range map[string]struct {
		script func(s *scene, o stuck.Object)
		want   wait.Outcome
		took   time.Duration
	}{
		"nothing":          {func(*scene, stuck.Object) {}, wait.Stalled, 30 * time.Second},
		"a finalizer less": {func(s *scene, o stuck.Object) { later(20, func() { o.Finalizers = nil; s.put(o, false) }) }, wait.Stalled, 50 * time.Second},
		"a status":         {func(s *scene, o stuck.Object) { later(20, func() { s.put(o, false) }) }, wait.Stalled, 30 * time.Second},
		"a finalizer more": {func(s *scene, o stuck.Object) {
			later(20, func() { o.Finalizers = []string{"x", "y"}; s.put(o, false) })
		}, wait.Stalled, 30 * time.Second},
		"a grace period": {func(s *scene, o stuck.Object) {
			later(1, func() { o.DeletionTime = clock().Add(time.Minute); s.put(o, false) })
		}, wait.Stalled, 91 * time.Second},
		"it was deleted":              {func(s *scene, o stuck.Object) { later(20, func() { s.put(o, true) }) }, wait.Deleted, 20 * time.Second},
		"a watch that missed the end": {func(s *scene, o stuck.Object) { later(20, func() { s.silent = true; s.put(o, true) }) }, wait.Deleted, 30 * time.Second},
		"a new object of the name":    {func(s *scene, o stuck.Object) { later(20, func() { o.UID = "other"; s.put(o, false) }) }, wait.Deleted, 20 * time.Second},
		"a watch that is refused": {func(s *scene, o stuck.Object) {
			s.refused = true
			later(20, func() { s.put(o, true) })
		}, wait.Deleted, 20 * time.Second},
		"a lost connection": {func(s *scene, o stuck.Object) {
			later(10, func() { s.mu.Lock(); s.unreachable = errors.New("connection refused"); s.mu.Unlock() })
			later(100, func() { s.mu.Lock(); s.unreachable = nil; s.mu.Unlock() })
		}, wait.Stalled, 120 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := object(configMaps, "shop", "a", "x")
				s := newScene(o)
				test.script(s, o)
				outcome, left, took := s.run(t, time.Hour, stall, o)
				if slack := took - test.took; outcome != test.want || slack < 0 || slack > 5*time.Second {
					t.Errorf("%s after %s, not %s after %s", outcome, took, test.want, test.took)
				}
				if gone := len(left.Remaining) == 0; gone != (test.want == wait.Deleted) {
					t.Errorf("left: %v", left.Remaining)
				}
			})
		})
	}
}

// One deadline holds for all objects, and without time they are read once.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []stuck.Object
		for i := range 8 { // more than are watched one by one
			all = append(all, object(configMaps, "shop", fmt.Sprint("c", i)))
		}
		s := newScene(all...)
		for i := range 6 {
			later(10*i, func() { s.put(all[i], true) })
		}
		outcome, left, took := s.run(t, time.Minute, 0, all...)
		if outcome != wait.TimedOut || took != time.Minute || left.Total != 8 || len(left.Remaining) != 2 || len(s.deleted) != 6 || len(s.watches) != 1 {
			t.Errorf("%s after %s: %d of %d left, %q deleted, %d watches", outcome, took, len(left.Remaining), left.Total, s.deleted, len(s.watches))
		}
		outcome, left, took = s.run(t, 0, time.Minute, all...)
		if outcome != wait.TimedOut || took != 0 || len(left.Remaining) != 2 {
			t.Errorf("%s after %s: %d left", outcome, took, len(left.Remaining))
		}
	})
}

// An object that is deleted while the deletion of another is told is told as well.
func TestDeletedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := object(configMaps, "shop", "a"), object(configMaps, "shop", "b")
		s := newScene(a, b)
		s.onDeleted = func() { s.put(b, true) }
		later(10, func() { s.put(a, true) })
		if outcome, _, _ := s.run(t, time.Minute, 0, a, b); outcome != wait.Deleted || !slices.Equal(s.deleted, []string{"a", "b"}) {
			t.Errorf("%s: told %q", outcome, s.deleted)
		}
	})
}

// Objects that are created again and again are no progress.
func TestRecreatedContentIsNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, a := object(namespaces, "", "shop"), object(configMaps, "shop", "a")
		s := newScene(shop, a)
		for i := range 20 {
			later(10*i+5, func() { s.put(a, true); a.UID = types.UID(fmt.Sprint(i)); s.put(a, false) })
		}
		if outcome, _, took := s.run(t, time.Hour, time.Minute, shop); outcome != wait.Stalled || took > 70*time.Second {
			t.Errorf("%s after %s", outcome, took)
		}
	})
}

// A namespace that nobody has deleted yet is followed from when somebody does, and a list
// after a lost connection counts for what it shows.
func TestFollowsFromDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, a := object(namespaces, "", "shop"), object(configMaps, "shop", "a")
		living := shop
		living.DeletionTime = time.Time{}
		s := newScene(living, a)
		later(5, func() { s.put(shop, false) })
		later(20, func() {
			s.mu.Lock()
			var observers []wait.Observer
			for _, w := range s.watches {
				observers = append(observers, w.observer)
			}
			s.mu.Unlock()
			for _, observer := range observers {
				observer.Listed(nil)
			}
		})
		outcome, _, took := s.run(t, time.Hour, time.Minute, living)
		if want := []string{"1 [] [] 0", "1 [1 configmap] [] 0"}; outcome != wait.Deleted || took != 20*time.Second || !slices.Equal(s.states, want) {
			t.Errorf("%s after %s: %q", outcome, took, s.states)
		}
	})
}

// The content of many namespaces is read and watched by type, and nothing else is counted.
func TestManyNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(object(configMaps, "other", "other"))
		var targets []stuck.Object
		for i := range 8 {
			name := fmt.Sprint("ns", i)
			ns, content := object(namespaces, "", name), object(configMaps, name, "in-"+name)
			targets = append(targets, ns)
			s.objects[ns.Path()], s.objects[content.Path()] = ns, content
			later(10, func() { s.put(content, true); s.put(ns, true) })
		}
		outcome, _, _ := s.run(t, time.Hour, time.Minute, targets...)
		if want := []string{"8 [8 configmaps] [] 0"}; outcome != wait.Deleted || !slices.Equal(s.states, want) || len(s.watches) != 2 || len(s.deleted) != 8 {
			t.Errorf("%s: %q, %d watches, deleted: %q", outcome, s.states, len(s.watches), s.deleted)
		}
	})
}
