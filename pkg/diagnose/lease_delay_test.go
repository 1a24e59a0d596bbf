package diagnose_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A webhook whose failures are ignored stops kube-controller-manager too, if the API server waits for it for longer than
// kube-controller-manager waits for the renewal of its Lease: not where it waits less, nor where it need not wait.
func TestAWebhookThatDelaysLeases(t *testing.T) {
	noEndpoints := []recording.Answer{
		{Question: "get services/check in ops", Objects: []map[string]any{{"metadata": map[string]any{"namespace": "ops", "name": "check"}, "spec": map[string]any{"selector": map[string]any{"app": "check"}}}}},
		{Question: "list endpointslices.discovery.k8s.io in ops with labels kubernetes.io/service-name=check"},
		{Question: "list deployments.apps in ops"},
		{Question: "list statefulsets.apps in ops"},
		{Question: "list daemonsets.apps in ops"},
	}
	noService := []recording.Answer{
		{Question: "get services/check in ops", Error: &metav1.Status{Code: 404, Reason: metav1.StatusReasonNotFound}},
		{Question: "get namespaces/ops", Objects: []map[string]any{{"metadata": map[string]any{"name": "ops"}}}},
	}
	for name, test := range map[string]struct {
		timeout int64
		policy  string
		renewed time.Duration
		backend []recording.Answer
		want    bool
	}{
		"longer than the renewal":              {10, "Ignore", time.Hour, noEndpoints, true},
		"as long as the renewal":               {5, "Ignore", time.Hour, noEndpoints, true},
		"shorter than the renewal":             {4, "Ignore", time.Hour, noEndpoints, false},
		"its Service does not exist":           {10, "Ignore", time.Hour, noService, false},
		"the Lease is renewed":                 {10, "Ignore", time.Second, noEndpoints, false},
		"it would reject, and others do renew": {10, "Fail", time.Hour, noEndpoints, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := stuck.Object{Type: cluster.NamespaceType, Name: "shop", UID: "shop", SpecFinalizers: []string{"kubernetes"}}
			found := cause.LeaseWebhookDown.Find(leaseScene(t, test.timeout, test.policy, test.renewed, test.backend), o)
			if (len(found) == 1) != test.want || len(found) > 1 {
				t.Fatalf("found %+v", found)
			}
			if !test.want {
				return
			}
			f := found[0]
			if f.Certainty != stuck.Likely || !slices.ContainsFunc(f.Evidence, func(line string) bool { return strings.Contains(line, "failurePolicy: Ignore, timeoutSeconds: ") }) {
				t.Errorf("%+v", f)
			}
			if command := f.Steps[0].Command; !strings.Contains(command, `"path":"/webhooks/0/timeoutSeconds","value":1}`) {
				t.Errorf("the first step is %s", command)
			}
		})
	}
}

// leaseScene is a kube-controller-manager whose Lease was renewed some time ago, an API server that has just renewed its own,
// and a webhook that is called for both.
func leaseScene(t *testing.T, timeout int64, policy string, renewed time.Duration, backend []recording.Answer) *cluster.View {
	t.Helper()
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	lease := func(name string, age time.Duration) map[string]any {
		return map[string]any{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": map[string]any{"namespace": "kube-system", "name": name},
			"spec": map[string]any{"leaseDurationSeconds": int64(15), "renewTime": now.Add(-age).Format(metav1.RFC3339Micro)},
		}
	}
	answers := append(slices.Clone(backend),
		recording.Answer{Question: "get leases.coordination.k8s.io/kube-controller-manager in kube-system", Objects: []map[string]any{lease("kube-controller-manager", renewed)}},
		recording.Answer{Question: "list leases.coordination.k8s.io in kube-system with labels apiserver.kubernetes.io/identity=kube-apiserver", Objects: []map[string]any{lease("apiserver-1", time.Second)}},
		recording.Answer{Question: "list mutatingwebhookconfigurations.admissionregistration.k8s.io"},
		recording.Answer{Question: "list validatingwebhookconfigurations.admissionregistration.k8s.io", Objects: []map[string]any{{
			"metadata": map[string]any{"name": "check"},
			"webhooks": []any{map[string]any{
				"name": "check.example.com", "failurePolicy": policy, "timeoutSeconds": timeout,
				"clientConfig": map[string]any{"service": map[string]any{"namespace": "ops", "name": "check"}},
				"rules":        []any{map[string]any{"operations": []any{"*"}, "apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{"*"}}},
			}},
		}}},
	)
	return cluster.NewView(t.Context(), (&recording.Recording{Time: now, Answers: answers}).Source(nil), nil, nil)
}
