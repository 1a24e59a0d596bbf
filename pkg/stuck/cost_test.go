package stuck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestSortCosts(t *testing.T) {
	nothing, objects := stuck.Cost{Leaves: stuck.LeakNothing, Description: "nothing"}, stuck.Cost{Leaves: stuck.LeakObjects, Description: "data: its Pods"}
	external, unknown := stuck.Cost{Leaves: stuck.LeakExternal, Description: "a disk"}, stuck.Cost{Leaves: stuck.LeakUnknown, Description: "whatever"}
	data, more := stuck.Cost{Leaves: stuck.LeakData, Description: "a database"}, stuck.Cost{Leaves: stuck.LeakData, Description: "another"}
	got := stuck.SortCosts([]stuck.Cost{nothing, data, unknown, {Leaves: stuck.LeakData}, objects, external, more, data})
	if diff := cmp.Diff([]stuck.Cost{data, more, unknown, external, objects, nothing}, got); diff != "" {
		t.Errorf("the gravest first, each once (-want +got):\n%s", diff)
	}
	for _, c := range []stuck.Cost{nothing, objects, external, unknown, data} {
		if want := c.Leaves.Rank() > stuck.LeakObjects.Rank(); c.Leaves.NeedsConsent() != want {
			t.Errorf("%s needs consent: %t, want %t", c.Leaves, !want, want)
		}
	}
}
