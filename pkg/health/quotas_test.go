package health

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Where ResourceQuotas cannot be read, the check is not complete.
func TestStaleQuotasUnread(t *testing.T) {
	c := newRecordedChecker(t, recording.Answer{Question: "list resourcequotas", Failure: "connection refused"})
	c.Types = append(c.Types, resourceQuotaType)
	c.snapshot.read = map[schema.GroupResource]bool{resourceQuotaType.GVR().GroupResource(): true}
	c.lists = []listResult{{Type: resourceQuotaType, First: &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{}}}}}
	if out := checkControllers(t.Context(), c, nil); !out.Incomplete || len(c.view.AllGaps()) == 0 {
		t.Errorf("%+v; gaps %v", out, c.view.AllGaps())
	}
}

// A ResourceQuota whose status does not follow its spec is a problem once the quota controller has had the time.
func TestStaleQuotas(t *testing.T) {
	hard := map[string]any{"pods": "10", "count/widgets.example.com": "5"}
	ago := func(d time.Duration) string { return now.Add(-d).Format(time.RFC3339) }
	for name, test := range map[string]struct {
		status  map[string]any
		managed []any
		flags   string
		want    bool
	}{
		"in step":                {status: map[string]any{"pods": "10", "count/widgets.example.com": "5000m"}, managed: []any{map[string]any{"time": ago(time.Hour)}}},
		"no status":              {managed: []any{map[string]any{"time": ago(time.Hour)}}, want: true},
		"another value":          {status: map[string]any{"pods": "9", "count/widgets.example.com": "5"}, managed: []any{map[string]any{"time": ago(time.Hour)}}, want: true},
		"changed just now":       {managed: []any{map[string]any{"time": ago(time.Minute)}}},
		"its status was written": {managed: []any{map[string]any{"time": ago(time.Hour)}, map[string]any{"time": ago(time.Minute), "subresource": "status"}}, want: true},
		"nobody says when":       {},
		"the controller is off":  {managed: []any{map[string]any{"time": ago(time.Hour)}}, flags: "--controllers=*,-resourcequota"},
	} {
		quota := map[string]any{
			"metadata": map[string]any{"namespace": "shop", "name": "q", "creationTimestamp": ago(24 * time.Hour), "managedFields": test.managed},
			"spec":     map[string]any{"hard": hard}, "status": map[string]any{"hard": test.status},
		}
		pod := map[string]any{"spec": map[string]any{"containers": []any{map[string]any{"command": []any{"kube-controller-manager", test.flags}}}}}
		c := newRecordedChecker(t, recording.Answer{Question: "list resourcequotas", Objects: []map[string]any{quota}},
			recording.Answer{Question: "list pods in kube-system with labels component=kube-controller-manager", Objects: []map[string]any{pod}})
		c.Types = append(c.Types, resourceQuotaType)
		c.snapshot.read = map[schema.GroupResource]bool{resourceQuotaType.GVR().GroupResource(): true}
		c.lists = []listResult{{Type: resourceQuotaType, First: &metav1.PartialObjectMetadataList{Items: []metav1.PartialObjectMetadata{{}}}}}
		if got, complete := c.staleQuotas(); !complete || len(got) > 0 != test.want || test.want && got[0].State != stuck.Unhealthy {
			t.Errorf("%s: %+v; gaps %v", name, got, c.view.AllGaps())
		}
	}
}
