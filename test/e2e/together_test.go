package e2e

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/story"
)

// listedCause is what list says of one object.
type listedCause struct {
	Resource  string
	Metadata  struct{ Name string }
	Diagnosis struct {
		Verdict stuck.Verdict
		Causes  []struct{ ID, Message string }
	}
}

// TestTogether holds that what is said of an object does not depend on what is asked about along with it: whatever is read
// is read once and shared, and a cause that changed it for itself would hide it from the others.
func TestTogether(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	for _, name := range []string{"nodeclaim-waits-for-a-volume", "volume-does-not-detach", "ceph-cluster-has-pools", "ceph-volumes-are-left"} {
		s, err := story.Load(filepath.Join(scenarios, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Play(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	waitForTypeAge(t, p, "cephclusters.ceph.rook.io") // the last type that is made; who watches it is known from then on
	together := listCauses(t, p)
	if len(together) < 6 {
		t.Fatalf("only %d objects are stuck", len(together))
	}
	for _, o := range together {
		if diff := cmp.Diff(listCauses(t, p, o.Resource+"/"+o.Metadata.Name), []listedCause{o}); diff != "" {
			t.Errorf("(-alone +together):\n%s", diff)
		}
	}
}

// listCauses is what list says of everything in the cluster, or of one object.
func listCauses(t *testing.T, p *plane.Plane, args ...string) []listedCause {
	t.Helper()
	out, errOut, code := kubectl(t, p, plane.Admin, append([]string{"finalizers", "list", "-A", "-o", "json"}, args...)...)
	if code != 0 {
		t.Fatalf("list %v ended with %d: %s", args, code, errOut)
	}
	var list struct{ Items []listedCause }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}
