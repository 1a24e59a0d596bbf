package diagnose_test

import (
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// An object in a version that its CustomResourceDefinition lacks is intact: nobody calls it damaged. A definition that has the version is
// not to blame, and one that nobody may read is only probably.
func TestRemovedVersion(t *testing.T) {
	const question = "get customresourcedefinitions.apiextensions.k8s.io/boats.harbor.example.com"
	definition := func(versions ...any) func(*recording.Recording) {
		return func(r *recording.Recording) {
			answer(r, recording.Answer{Question: question, Objects: []map[string]any{{
				"metadata": map[string]any{"name": "boats.harbor.example.com"}, "spec": map[string]any{"versions": versions},
			}}})
		}
	}
	v1, removed := map[string]any{"name": "v1"}, map[string]any{"name": "v1alpha1"}
	for name, test := range map[string]struct {
		change func(*recording.Recording)
		want   stuck.Certainty
	}{
		"as it was":           {func(*recording.Recording) {}, stuck.Confirmed},
		"other versions":      {definition(v1), stuck.Confirmed},
		"the version is back": {definition(v1, removed), ""},
		"it cannot be read": {func(r *recording.Recording) {
			answer(r, recording.Answer{Question: question, Error: &metav1.Status{Code: 403, Reason: metav1.StatusReasonForbidden}})
		}, stuck.Likely},
	} {
		t.Run(name, func(t *testing.T) {
			root := "../../testdata/scenarios"
			r, err := recording.Load(filepath.Join(root, "crd-version-was-removed"))
			if err != nil {
				t.Fatal(err)
			}
			test.change(r)
			types, err := recording.LoadTypes(root)
			if err != nil {
				t.Fatal(err)
			}
			source := r.Source(types)
			types, gaps, err := source.Types(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			view := cluster.NewView(t.Context(), source, types, gaps)
			harbor := view.Namespace("harbor")
			if !harbor.Found() {
				t.Fatal("the recording has no namespace")
			}
			o := stuck.Object{Type: stuck.Type{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, Name: "harbor", DeletionTime: r.Time}
			var got stuck.Certainty
			for _, f := range cause.CRDVersionRemoved.Find(view, o) {
				got = f.Certainty
			}
			if got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
			if damaged := cause.ObjectUnreadable.Find(view, o); len(damaged) > 0 {
				t.Errorf("the object is called damaged: %q", damaged[0].Message)
			}
		})
	}
}
