package diagnose_test

import (
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// TestRecreatedDependentsAreNotDenied holds that no policy is suspected to deny the deletion of a dependent that was created after the
// deletion of its owner, however long that is ago.
func TestRecreatedDependentsAreNotDenied(t *testing.T) {
	root := "../../testdata/scenarios"
	types, err := recording.LoadTypes(root)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Load(filepath.Join(root, "controller-recreates-what-it-owns"))
	if err != nil {
		t.Fatal(err)
	}
	r.Time = r.Time.Add(time.Hour)
	source := r.Source(types)
	view := cluster.NewView(t.Context(), source, types, nil)
	sets, _ := view.TypeForKind(schema.GroupKind{Group: "apps", Kind: "StatefulSet"})
	found := 0
	err = source.Scan(t.Context(), sets, cluster.Selection{Namespace: "kiosk"}, func(o stuck.Object) {
		for _, f := range cause.DependentsRemain.Find(view, o) {
			found++
			if len(f.Steps) > 0 {
				t.Errorf("it advises %v", f.Steps)
			}
		}
	})
	if err != nil || found != 1 {
		t.Errorf("%d findings, %v", found, err)
	}
}
