//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/removal"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/tracer"
)

// numbered are the names of two objects of the run with a number.
func numbered(n int) []string { return []string{fmt.Sprintf("c%d-a", n), fmt.Sprintf("c%d-b", n)} }

// createDeletedCrate creates a crate that is being deleted.
func (s *removalScene) createDeletedCrate(t *testing.T, name string) {
	t.Helper()
	create(t, s.crates(t), s.group+"/v1", "Crate", name, map[string]any{"spec": map[string]any{"size": int64(3)}}, s.group+"/hold")
	if err := s.crates(t).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func removeOne(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	name := numbered(n)[0]
	s.createDeletedCrate(t, name)
	return []string{"force-remove", s.crate(name), "--accept-leaks"}
}

func removeTwo(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	s.createDeletedCrate(t, numbered(n)[1])
	return append(removeOne(t, s, n), s.crate(numbered(n)[1]))
}

func removeWithEvent(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	return append(removeOne(t, s, n), "--record-event")
}

// isOfEvents reports whether an effect posts an Event, or is that of an audit line about one.
func isOfEvents(e tracer.Effect) bool {
	if strings.HasSuffix(e.Target, "/"+removal.AuditFile) {
		return e.Call == "fsync" || strings.Contains(e.Data, "/events")
	}
	return strings.Contains(e.Target, "/events") && persists(e)
}

func remainingCrates(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	return existing(t, s.crates(t), numbered(n)...)
}

// The finalizers of the namespaces, one of which takes a patch to remove, and the other a PUT to the subresource finalize.
const (
	metaFinalizer = "tenants.example.com/meta"
	specFinalizer = "tenants.example.com/spec"
)

// removeFromNamespace makes a namespace that waits for nothing but its own finalizers.
func removeFromNamespace(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	s.namespace = fmt.Sprintf("%s-%d", s.namespace, n)
	create(t, s.namespaces(t), "v1", "Namespace", s.namespace, map[string]any{"spec": map[string]any{"finalizers": []any{"kubernetes", specFinalizer}}}, metaFinalizer)
	if err := s.namespaces(t).Delete(t.Context(), s.namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		if held := s.namespaceFinalizers(t); len(held) != 2 {
			return fmt.Errorf("the namespace has the finalizers %v", held)
		}
		return nil
	})
	return []string{"force-remove", "ns/" + s.namespace, "--override-verdict", "--accept-leaks", "--finalizer", metaFinalizer, "--finalizer", specFinalizer}
}

// namespaceFinalizers are the finalizers of the namespace of the scene, none if it does not exist.
func (s *removalScene) namespaceFinalizers(t *testing.T) []string {
	t.Helper()
	if len(existing(t, s.namespaces(t), s.namespace)) == 0 {
		return nil
	}
	namespace, err := s.namespaces(t).Get(t.Context(), s.namespace, metav1.GetOptions{})
	if err != nil {
		return nil // it was deleted meanwhile
	}
	inSpec, _, _ := unstructured.NestedStringSlice(namespace.Object, "spec", "finalizers") // the API server validates it
	return append(namespace.GetFinalizers(), inSpec...)
}

func heldNamespaces(t *testing.T, s *removalScene, _ int) []string {
	t.Helper()
	return s.namespaceFinalizers(t)
}

// restoreTwo makes copies of a crate that was deleted and of one that exists without its finalizer.
func restoreTwo(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	kubeSystem, err := s.namespaces(t).Get(t.Context(), "kube-system", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	living := create(t, s.crates(t), s.group+"/v1", "Crate", numbered(n)[1], map[string]any{"spec": map[string]any{"size": int64(3)}})
	folder := filepath.Join(s.state, "kubectl-finalizers", "plane", "20260101T000000Z")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, uid := range []string{"deleted", string(living.GetUID())} {
		name := numbered(n)[i]
		content := fmt.Sprintf("# uid of kube-system: %s\napiVersion: %s/v1\nkind: Crate\nmetadata: {name: %s, namespace: %s, uid: %s, "+
			"deletionTimestamp: \"2026-01-01T00:00:00Z\", finalizers: [%s/hold]}\nspec: {size: 3}\n", kubeSystem.GetUID(), s.group, name, s.namespace, uid, s.group)
		writeCopy(t, folder, name+".yaml", content)
		addDigest(t, folder, name+".yaml", content)
	}
	return []string{"restore", folder}
}

func unrestoredCrates(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	return slices.DeleteFunc(numbered(n), func(name string) bool {
		if len(existing(t, s.crates(t), name)) == 0 {
			return false
		}
		crate, err := s.crates(t).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		size, _, sizeErr := unstructured.NestedInt64(crate.Object, "spec", "size")
		if size != 3 || sizeErr != nil {
			t.Error(errors.Join(fmt.Errorf("%s has size %d", name, size), sizeErr))
		}
		return slices.Equal(crate.GetFinalizers(), []string{s.group + "/hold"})
	})
}

// configMaps are those of the namespace of the scene.
func (s *removalScene) configMaps(t *testing.T) dynamic.ResourceInterface {
	t.Helper()
	return s.resource(t, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(s.namespace)
}

func sweepTwo(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	label := fmt.Sprintf("c%d", n)
	for _, name := range numbered(n) {
		create(t, s.configMaps(t), "v1", "ConfigMap", name, map[string]any{"metadata": map[string]any{"labels": map[string]any{"sweep": label}}})
	}
	return []string{"sweep", "configmaps", "-l", "sweep=" + label}
}

func remainingConfigMaps(t *testing.T, s *removalScene, n int) []string {
	t.Helper()
	return existing(t, s.configMaps(t), numbered(n)...)
}
