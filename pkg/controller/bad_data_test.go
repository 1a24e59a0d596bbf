package controller_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// healthy is a type, an object, and a controller that runs and may write it.
const healthy = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Namespace
metadata: {name: ops}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
---
apiVersion: example.com/v1
kind: Widget
metadata: {namespace: shop, name: w1, uid: uid-of-w1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ops, name: widget-operator, uid: uid-of-operator}
spec: {selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: {serviceAccountName: widget-operator, containers: [{name: manager}]}}}
status: {readyReplicas: 1}
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
subjects: [{kind: ServiceAccount, namespace: ops, name: widget-operator}]
---
`

// What is odd in a cluster changes nothing of what is known for sure: the
// controller is found, runs, and no gap opens.
func TestOddDataIsPassedOver(t *testing.T) {
	for name, odd := range map[string]string{
		"a lease without times": `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: ops, name: widget-operator}
spec: {holderIdentity: widget-operator-5d6f-xk2lp_1}`,
		"a lease without a holder": `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: ops, name: widget-operator}
spec: {leaseDurationSeconds: 15, renewTime: "2026-03-01T02:59:59.000000Z"}`,
		"a lease without a spec": `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: ops, name: widget-operator}`,
		"a lease whose holder is no pod": `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: ops, name: widget-operator}
spec: {holderIdentity: "https://10.0.0.1:8443/x y", leaseDurationSeconds: 15, renewTime: "2026-03-01T02:59:59.000000Z"}`,
		"subjects of unknown kinds": `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: odd}
roleRef: {kind: ClusterRole, name: widget-operator}
subjects: [{kind: Robot, name: r2d2}, {kind: ""}, {kind: ServiceAccount, name: nowhere}, {kind: User, name: "system:serviceaccount::x"}, {kind: User, name: "system:serviceaccount:a/b:x"}, {kind: User, name: "system:serviceaccount:ops"}]`,
		"a role that is missing": `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: odd}
roleRef: {kind: ClusterRole, name: no-such-role}
subjects: [{kind: ServiceAccount, namespace: ops, name: widget-operator}]`,
		"a binding to nothing and nobody": `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {namespace: shop, name: odd}`,
		"a workload that is all empty": `
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ops, name: odd, uid: odd}`,
		"a webhook that calls nowhere": `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: odd}
webhooks: [{name: odd, clientConfig: {service: {}}, rules: [{apiGroups: [example.com]}, {}]}, {}]`,
	} {
		t.Run(name, func(t *testing.T) {
			found, view := newFakeSource(t, healthy+odd).find()
			if !found.Complete || len(view.Gaps()) > 0 {
				t.Errorf("gaps: %v", view.Gaps())
			}
			if len(found.Candidates) != 1 || found.Candidates[0].Name != "widget-operator" || found.Alive(view) != stuck.Running {
				t.Errorf("suspects: %v", found.Document(view))
			}
			for _, l := range leadershipsOf(view, found) {
				if l.Lost {
					t.Errorf("nobody leads: %s", l.Description)
				}
			}
			assertPrintable(t, found.Document(view))
		})
	}
}

func leadershipsOf(view *cluster.View, found controller.Controller) (out []controller.Leadership) {
	for _, c := range found.Candidates {
		leads, _ := controller.Leaderships(view, c.Workload)
		out = append(out, leads...)
	}
	return out
}

// assertPrintable is that no line shows how a program prints what it was not meant to.
func assertPrintable(t *testing.T, documents []stuck.Controller) {
	t.Helper()
	for _, d := range documents {
		for _, line := range slices.Concat(d.Clues, d.Health) {
			for _, bad := range []string{"%!", "<nil>", "  ", "292y", "106751d", "2025y"} {
				if strings.Contains(line, bad) {
					t.Errorf("it says %q", line)
				}
			}
		}
	}
}

// sourceWithCRD is a world with a definition that says these things of itself.
func sourceWithCRD(t *testing.T, metadata string) *fakeSource {
	t.Helper()
	return newFakeSource(t, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\n"+metadata+`
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ops, name: bystander, uid: bystander, annotations: {meta.helm.sh/release-name: r}, labels: {olm.owner: x}}`)
}

// A mark that is broken leads nowhere: to no suspect, and to nothing that is
// said to be gone.
func TestBrokenMarksLeadNowhere(t *testing.T) {
	for name, metadata := range map[string]string{
		"a Helm release without a namespace": `  annotations: {meta.helm.sh/release-name: r}`,
		"a namespace that is none":           `  annotations: {meta.helm.sh/release-name: r, meta.helm.sh/release-namespace: "../x y"}`,
		"an empty release":                   `  annotations: {meta.helm.sh/release-name: "", meta.helm.sh/release-namespace: ops}`,
		"an OLM label without a dot":         `  labels: {operators.coreos.com/widget: ""}`,
		"an OLM label without a name":        `  labels: {operators.coreos.com/.ops: ""}`,
		"an OLM label without a namespace":   `  labels: {operators.coreos.com/widget.: ""}`,
		"an OLM label that was cut off":      `  labels: {operators.coreos.com/a-very-long-name-of-an-operator-that-nobody-would-ever-type.op: ""}`,
		"an empty instance":                  `  labels: {app.kubernetes.io/instance: "", app.kubernetes.io/part-of: ""}`,
		"an empty tracking id":               `  annotations: {argocd.argoproj.io/tracking-id: ""}`,
		"no marks at all":                    ``,
	} {
		t.Run(name, func(t *testing.T) {
			found, view := sourceWithCRD(t, metadata).find()
			if !found.Complete || len(view.Gaps()) > 0 {
				t.Errorf("gaps: %v", view.Gaps())
			}
			if len(found.Candidates) > 0 || len(found.MissingTargets) > 0 {
				t.Errorf("it leads to %v and %v", found.Candidates, found.MissingTargets)
			}
			assertPrintable(t, found.Document(view))
		})
	}
}

// sourceWithManagedFields is w1 with these managedFields.
func sourceWithManagedFields(t *testing.T, fields string) *fakeSource {
	t.Helper()
	return newFakeSource(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  namespace: shop\n  name: w1\n  uid: uid-of-w1\n  managedFields: "+fields)
}

func TestOddManagedFields(t *testing.T) {
	set := `fieldsV1: {"f:metadata": {"f:finalizers": {'v:"example.com/cleanup"': {}}}}`
	huge := "[" + strings.Repeat(`{manager: other, operation: Update, fieldsV1: {"f:spec": {"f:x": {}}}}, `, 5000) + "{manager: op, " + set + "}]"
	for name, test := range map[string]struct {
		fields  string
		setters int
	}{
		"none":                             {"[]", 0},
		"no fields":                        {"[{manager: op}]", 0},
		"finalizers that are a list":       {`[{manager: op, fieldsV1: {"f:metadata": {"f:finalizers": ["x"]}}}]`, 0},
		"metadata that is a word":          {`[{manager: op, fieldsV1: {"f:metadata": "x"}}]`, 0},
		"keys that are broken":             {`[{manager: op, fieldsV1: {"f:metadata": {"f:finalizers": {"v:": {}, "v:\"": {}, "": {}, "k:{}": {}}}}}]`, 0},
		"nobody's name":                    {"[{manager: '', " + set + "}]", 0},
		"no time":                          {"[{manager: op, " + set + "}]", 1},
		"a name that no object could have": {"[{manager: 'My Operator=1,2', " + set + "}]", 1},
		"thousands":                        {huge, 1},
	} {
		t.Run(name, func(t *testing.T) {
			found, view := sourceWithManagedFields(t, test.fields).find()
			if len(found.Setters) != test.setters {
				t.Errorf("setters: %v", found.Setters)
			}
			if !found.Complete || len(view.Gaps()) > 0 {
				t.Errorf("gaps: %v", view.Gaps())
			}
			assertPrintable(t, found.Document(view))
		})
	}
}

// Conditions of a shape that nobody foresaw are a gap: what they say is not
// known.
func TestOddConditions(t *testing.T) {
	for name, test := range map[string]struct {
		status string
		gap    bool
	}{
		"a map":            {`{conditions: {Ready: "False"}}`, true},
		"a number":         {`{conditions: [{type: Ready, status: "False", message: 7}]}`, true},
		"a word":           {`deleting`, true},
		"none":             {`{}`, false},
		"nulls":            {`{conditions: null}`, false},
		"words in a list":  {`{conditions: [broken]}`, true},
		"odd times":        {`{conditions: [{type: Ready, status: "False", lastTransitionTime: yesterday}]}`, true},
		"more than needed": {`{conditions: [{type: Ready, status: "False", extra: {a: [1]}}]}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			view := newFakeSource(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {namespace: shop, name: w1}\nstatus: "+test.status).view()
			read := view.Conditions(w1)
			if read.Complete == test.gap || (len(view.Gaps()) > 0) != test.gap {
				t.Errorf("complete: %v, gaps: %v", read.Complete, view.Gaps())
			}
		})
	}
}
