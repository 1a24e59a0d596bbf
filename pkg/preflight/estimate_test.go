package preflight_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
)

// A namespace waits for its Pods, then for the API server, and once more for finalizers. A Pod that has ended needs no time.
func TestEstimate(t *testing.T) {
	var manifests []string
	for _, namespace := range []string{"shop", "books"} {
		manifests = append(manifests, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, uid: %[1]s}", namespace))
	}
	for name, pod := range map[string]string{"slow": "600, nodeName: node-1}}", "quick": "30, nodeName: node-1}}", "ended": "900, nodeName: node-1}, status: {phase: Failed}}"} {
		manifests = append(manifests, fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: shop, uid: %[1]s}, spec: {terminationGracePeriodSeconds: %s", name, pod))
	}
	for i := range 500 {
		manifests = append(manifests, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: books, uid: c%[1]d}}", i))
	}
	s := newFakeSource(t, strings.Join(manifests, "\n---\n")+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: books, uid: held, finalizers: [example.com/hold]}}")
	for _, test := range []struct {
		namespace string
		want      preflight.NamespaceEstimate
	}{
		{"shop", preflight.NamespaceEstimate{Name: "shop", Objects: 3, Deletion: 30 * time.Millisecond, Pods: 602 * time.Second, Waits: 5 * time.Second}},
		{"books", preflight.NamespaceEstimate{Name: "books", Objects: 501, Deletion: 5010 * time.Millisecond, Waits: 13 * time.Second}},
	} {
		got := s.predict(t, servedTypes(), "namespace/"+test.namespace).Estimate
		if got.SlowestNamespace != test.want || got.Total() != test.want.Total() {
			t.Errorf("the estimate is %+v", got)
		}
	}
	if got := s.predict(t, servedTypes(), "namespace/books", "namespace/shop").Estimate; got.SlowestNamespace.Name != "shop" || got.SlowestPod.Name != "slow" || got.GracePeriod != 10*time.Minute {
		t.Errorf("the estimate is %+v", got)
	}
}
