package stuck_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestSortCosts(t *testing.T) {
	nothing, objects := stuck.Cost{Leak: stuck.LeakNothing, What: "nothing"}, stuck.Cost{Leak: stuck.LeakObjects, What: "data: its Pods"}
	external, unknown := stuck.Cost{Leak: stuck.LeakExternal, What: "a disk"}, stuck.Cost{Leak: stuck.LeakUnknown, What: "whatever"}
	data, more := stuck.Cost{Leak: stuck.LeakData, What: "a database"}, stuck.Cost{Leak: stuck.LeakData, What: "another"}
	got := stuck.SortCosts([]stuck.Cost{nothing, data, unknown, {Leak: stuck.LeakData}, objects, external, more, data})
	if diff := cmp.Diff([]stuck.Cost{data, more, unknown, external, objects, nothing}, got); diff != "" {
		t.Errorf("the gravest first, each once (-want +got):\n%s", diff)
	}
	for _, c := range []stuck.Cost{nothing, objects, external, unknown, data} {
		if want := c.Leak.Rank() > stuck.LeakObjects.Rank(); c.Leak.NeedsConsent() != want {
			t.Errorf("%s needs consent: %t, want %t", c.Leak, !want, want)
		}
	}
}
