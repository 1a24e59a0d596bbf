package story_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// controllerName matches the names of workloads that run controllers.
var controllerName = regexp.MustCompile(`controller|operator|manager|provisioner|reconciler`)

// TestSharedStoriesHaveNoLookalikes holds that no controller on the shared control plane has a word of a type of another story in its
// name or namespace: it would cast doubt on what is said of the objects of that story, which depended on what else is played.
func TestSharedStoriesHaveNoLookalikes(t *testing.T) {
	all, err := story.All("../../testdata/scenarios")
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, story.Story.NeedsOwnPlane)
	storiesOf := map[string][]string{} // by a word, those that have a type with it
	for _, s := range all {
		for _, manifest := range manifests(t, s) {
			for _, word := range typeWords(manifest) {
				storiesOf[word] = append(storiesOf[word], s.Name())
			}
		}
	}
	if len(storiesOf) < 100 {
		t.Errorf("no more than %d words were looked at", len(storiesOf))
	}
	for _, s := range all {
		for _, manifest := range manifests(t, s) {
			for _, word := range workloadWords(manifest) {
				for _, other := range storiesOf[word] {
					if other != s.Name() {
						t.Errorf("%s: the name or namespace of %s has the word %s of a type of %s", s.Name(), manifest.GetName(), word, other)
					}
				}
			}
		}
	}
}

// workloadWords are the words in the name and the namespace of a workload that runs controllers.
func workloadWords(manifest unstructured.Unstructured) []string {
	if !slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, manifest.GetKind()) || !controllerName.MatchString(manifest.GetName()) {
		return nil
	}
	return strings.Split(manifest.GetName()+"-"+manifest.GetNamespace(), "-")
}

// typeWords are the words of the type that a CustomResourceDefinition defines, by which its controller may be called.
func typeWords(definition unstructured.Unstructured) []string {
	if definition.GetKind() != "CustomResourceDefinition" {
		return nil
	}
	plural, group, _ := strings.Cut(definition.GetName(), ".")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	domain := strings.Split(group, ".")
	words := slices.Concat(domain[:len(domain)-min(2, len(domain)-1)], []string{plural, strings.ToLower(kind)})
	return slices.DeleteFunc(words, func(word string) bool { return slices.Contains(saysNothing, word) })
}

// saysNothing are words of types that many controllers have in their names.
var saysNothing = []string{"cluster", "infrastructure", "operators", "operator", "controller"}
