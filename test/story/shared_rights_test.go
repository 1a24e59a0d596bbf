package story_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// TestSharedStoriesWriteNoCoreTypes holds that no operator on the shared control plane may write the Pods, or other objects of
// the core group, of all namespaces: it would be taken for the controller of the objects of other stories.
func TestSharedStoriesWriteNoCoreTypes(t *testing.T) {
	all, err := story.All("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	roles := 0
	for _, s := range all {
		if s.NeedsOwnPlane() {
			continue
		}
		for _, role := range clusterRoles(t, s) {
			roles++
			for _, rule := range role.Rules {
				if slices.Contains(rule.APIGroups, "") && (slices.Contains(rule.Verbs, "patch") || slices.Contains(rule.Verbs, "update") || slices.Contains(rule.Verbs, "*")) {
					t.Errorf("%s: clusterrole/%s may write %q in all namespaces: set own", s.Name(), role.Name, rule.Resources)
				}
			}
		}
	}
	if roles < 10 {
		t.Errorf("no more than %d roles were looked at", roles)
	}
}

// clusterRoles are those that a story creates.
func clusterRoles(t *testing.T, s story.Story) (roles []rbacv1.ClusterRole) {
	t.Helper()
	for _, manifest := range manifests(t, s) {
		if manifest.GetKind() != "ClusterRole" {
			continue
		}
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(manifest.Object, &role); err != nil {
			t.Fatal(err)
		}
		roles = append(roles, role)
	}
	return roles
}

// manifests are the objects in the files of a story.
func manifests(t *testing.T, s story.Story) (objects []unstructured.Unstructured) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
		for {
			var object unstructured.Unstructured
			err := documents.Decode(&object.Object)
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil && object.GetKind() != "" {
				objects = append(objects, object)
			}
		}
	}
	return objects
}
