package controller_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Of two installations of one operator, to which the same points, both are named, and the one that runs first.
func TestTwoInstallations(t *testing.T) {
	const around = `
apiVersion: example.com/v1
kind: Widget
metadata:
  namespace: shop
  name: w1
  uid: uid-of-w1
  managedFields: [{manager: widget-operator, operation: Update, time: "2026-03-01T01:00:00Z", fieldsV1: {"f:metadata": {"f:finalizers": {'v:"example.com/cleanup"': {}}}}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: widget-operator}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: [update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: widget-operator}
roleRef: {kind: ClusterRole, name: widget-operator}
subjects: [{kind: ServiceAccount, namespace: blue, name: widget-operator}, {kind: ServiceAccount, namespace: green, name: widget-operator}]
---
`
	installation := func(namespace string, replicas int) string {
		return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {namespace: %[1]s, name: widget-operator, uid: uid-of-%[1]s}
spec: {replicas: %[2]d, selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: {serviceAccountName: widget-operator, containers: [{name: manager}]}}}
status: {readyReplicas: %[2]d}
---
`, namespace, replicas)
	}
	for name, test := range map[string]struct {
		blue, green int
		want        []string
	}{
		"the second runs": {0, 1, []string{"green", "blue"}},
		"the first runs":  {1, 0, []string{"blue", "green"}},
		"both run":        {1, 3, []string{"blue", "green"}},
		"none runs":       {0, 0, []string{"blue", "green"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, view := newFakeSource(t, around+installation("blue", test.blue)+installation("green", test.green)).find()
			var got []string
			for _, c := range found.Document(view) {
				got = append(got, c.Workload.Namespace)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the controllers are %v, want %v", got, test.want)
			}
			want := fmt.Sprintf("deployment/widget-operator -n %s may be the controller: it may write widgets.example.com (clusterrolebinding/widget-operator)", test.want[0])
			if lines := found.ClueTexts(found.Candidates[0]); !slices.Contains(lines, want) {
				t.Errorf("%q is not in %q", want, lines)
			}
			if alive := found.Alive(view); (alive == stuck.Running) != (test.blue+test.green > 0) {
				t.Errorf("alive: %s", alive)
			}
			if len(controller.RunningCandidates(view, found)) != min(test.blue, 1)+min(test.green, 1) {
				t.Errorf("running: %v", controller.RunningCandidates(view, found))
			}
		})
	}
}
