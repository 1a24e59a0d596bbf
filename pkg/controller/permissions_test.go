package controller_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
)

// What the catalog says of the verbs with which a finalizer is removed holds for the component that it names alone.
func TestVerbsThatTheCatalogKnows(t *testing.T) {
	component := catalog.Component{Containers: []string{"csi-provisioner"}}
	for name, test := range map[string]struct {
		container string
		verbs     []string
		granted   string
		want      []string
	}{
		"it patches, and may update":           {"csi-provisioner", []string{"patch"}, "update", []string{"patch"}},
		"it patches, and may":                  {"csi-provisioner", []string{"patch"}, "patch", nil},
		"it needs both":                        {"csi-provisioner", []string{"update", "patch"}, "patch", []string{"update"}},
		"it may neither":                       {"csi-provisioner", []string{"patch"}, "delete", []string{"patch"}},
		"how it removes it is not known":       {"csi-provisioner", nil, "update", nil},
		"nor whether it is what removes it":    {"csi-resizer", []string{"patch"}, "update", nil},
		"another workload that may do nothing": {"csi-resizer", []string{"patch"}, "delete", []string{"update or patch"}},
	} {
		view := newFakeSource(t, `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: provisioner}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: [list, watch, `+test.granted+`]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: provisioner}
roleRef: {kind: ClusterRole, name: provisioner}
subjects: [{kind: ServiceAccount, namespace: csi, name: driver}]`).view()
		w := cluster.Workload{Namespace: "csi"}
		w.PodTemplate.Spec.ServiceAccountName = "driver"
		w.PodTemplate.Spec.Containers = []corev1.Container{{Name: test.container}}
		got, complete := controller.MissingVerbs(view, w, controller.Controller{
			Object: w1, CatalogMatch: catalog.Match{How: catalog.Exact, Entries: []catalog.Entry{{Verbs: test.verbs, Component: component}}},
		})
		if diff := cmp.Diff(test.want, got); diff != "" || !complete {
			t.Errorf("%s: missing verbs (-want +got), complete %t:\n%s", name, complete, diff)
		}
	}
}

// A rule with resourceNames allows nothing on the objects that it does not name.
func TestPermissionsForNamedObjects(t *testing.T) {
	for names, want := range map[string][]string{"[]": nil, "[w0, w1]": nil, "[w0]": {"update or patch"}} {
		view := newFakeSource(t, `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules:
- {apiGroups: [example.com], resources: [widgets], verbs: [get, list, watch]}
- {apiGroups: [example.com], resources: [widgets], verbs: [update, patch], resourceNames: `+names+`}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {kind: ClusterRole, name: operator}
subjects: [{kind: ServiceAccount, namespace: ops, name: operator}]`).view()
		w := cluster.Workload{Namespace: "ops"}
		w.PodTemplate.Spec.ServiceAccountName = "operator"
		got, complete := controller.MissingVerbs(view, w, controller.Controller{Object: w1})
		if diff := cmp.Diff(want, got); diff != "" || !complete {
			t.Errorf("resourceNames %s: missing verbs (-want +got), complete %t:\n%s", names, complete, diff)
		}
	}
}

// A lock belongs to the workload whose Pod holds it, not to one whose name
// begins alike.
func TestWhoseLock(t *testing.T) {
	for holder, want := range map[string]int{
		"cert-manager-5d6f8c9b7-xk2lp_1f0c":            1,
		"cert-manager-xk2lp_1f0c":                      1,
		"cert-manager-0":                               1,
		"cert-manager-cainjector-5d6f8c9b7-xk2lp_1f0c": 0,
		"cert-manager-webhook-xk2lp":                   0,
		"cert-manager":                                 0,
		"other-5d6f8c9b7-xk2lp":                        0,
		"":                                             0,
	} {
		view := newFakeSource(t, "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {namespace: ops, name: lock}\n"+
			"spec: {holderIdentity: '"+holder+"', leaseDurationSeconds: 15, renewTime: '2026-03-01T02:00:00.000000Z'}").view()
		leads, all := controller.Leaderships(view, cluster.Workload{Namespace: "ops", Name: "cert-manager"})
		if len(leads) != want || !all {
			t.Errorf("held by %q: %v", holder, leads)
		}
	}
}

// The whole CRD is read only where no other clue has found anybody.
func TestConversionIsTheLastClue(t *testing.T) {
	const webhook = `apiVersion: v1
kind: Service
metadata: {namespace: ops, name: convert}
spec: {selector: {app: c}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: ops, name: converter, uid: uid-of-converter}
spec: {selector: {matchLabels: {app: c}}, template: {metadata: {labels: {app: c}}}}
status: {readyReplicas: 1}
---
`
	const spec = "metadata: {name: widgets.example.com}\nspec: {conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: ops, name: convert}}}}}"
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n" + spec
	names := func(w *fakeSource) (out []string) {
		found, _ := w.find()
		for _, c := range found.Candidates {
			out = append(out, c.Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{"converter"}, names(newFakeSource(t, webhook+crd))); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
	with := strings.Replace(healthy, "metadata: {name: widgets.example.com}", spec, 1)
	if diff := cmp.Diff([]string{"widget-operator"}, names(newFakeSource(t, with+webhook))); diff != "" {
		t.Errorf("beside a better clue (-want +got):\n%s", diff)
	}
	found, _ := newFakeSource(t, crd).find()
	if len(found.MissingTargets) != 1 || !found.MissingTargets[0].Deleted {
		t.Errorf("without its service: %v", found.MissingTargets)
	}
}

// What the ServiceAccount may do says nothing of a workload that does not use it.
func TestWorkloadsWithOtherCredentials(t *testing.T) {
	off := false
	for name, test := range map[string]struct {
		spec  corev1.PodSpec
		known bool
	}{
		"those of its account":             {corev1.PodSpec{Containers: []corev1.Container{{Args: []string{"--kubeconfig=", "--masters=2"}, Env: []corev1.EnvVar{{Name: "KUBECONFIG"}}}}}, true},
		"a kubeconfig by a flag":           {corev1.PodSpec{Containers: []corev1.Container{{Args: []string{"--kubeconfig=/etc/kube/config"}}}}, false},
		"by a flag and an argument":        {corev1.PodSpec{Containers: []corev1.Container{{Command: []string{"operator", "-kubeconfig", "/etc/kube/config"}}}}, false},
		"by the variable that kubectl has": {corev1.PodSpec{Containers: []corev1.Container{{}, {Env: []corev1.EnvVar{{Name: "KUBECONFIG", Value: "/etc/kube/config"}}}}}, false},
		"no token is mounted":              {corev1.PodSpec{AutomountServiceAccountToken: &off}, false},
	} {
		w := cluster.Workload{Namespace: "ops"}
		w.PodTemplate.Spec = test.spec
		missing, known := controller.MissingVerbs(newFakeSource(t, "").view(), w, controller.Controller{Object: w1})
		if known != test.known || len(missing) == 0 {
			t.Errorf("%s: it is known: %t, missing %v", name, known, missing)
		}
	}
}
