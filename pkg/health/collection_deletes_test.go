package health

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// A type of which collections were deleted in vain is a warning. A single timeout may be that of an overloaded server.
func TestSlowCollectionDeletes(t *testing.T) {
	for name, test := range map[string]struct {
		deletes cluster.CollectionDeletes
		of      schema.GroupResource
		want    bool
	}{
		"none":         {deletes: cluster.CollectionDeletes{Requests: 40}, of: widgets.GVR().GroupResource()},
		"one":          {deletes: cluster.CollectionDeletes{Requests: 40, Timeouts: 1}, of: widgets.GVR().GroupResource()},
		"several":      {deletes: cluster.CollectionDeletes{Requests: 40, Timeouts: 7}, of: widgets.GVR().GroupResource(), want: true},
		"another type": {deletes: cluster.CollectionDeletes{Requests: 40, Timeouts: 7}, of: schema.GroupResource{Resource: "events"}},
	} {
		c := newRecordedChecker(t)
		c.Served = append(c.Served, pods, widgets, resourceQuotaType)
		for i := range c.Served {
			c.Served[i].Listable = true
		}
		got := c.slowCollectionDeletes(cluster.Metrics{Started: now.Add(-72 * time.Hour), CollectionDeletes: map[schema.GroupResource]cluster.CollectionDeletes{test.of: test.deletes}})
		if len(got) > 0 != test.want {
			t.Errorf("%s: %+v", name, got)
		}
		if want := "7 of 40 DELETECOLLECTION requests ended with 504 since the API server started 3d ago"; test.want && strings.Join(got[0].Evidence, "\n") != want {
			t.Errorf("%s: %q", name, got[0].Evidence)
		}
	}
}
