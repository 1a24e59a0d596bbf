package controller_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
)

func TestWatched(t *testing.T) {
	env := func(name, value string) corev1.Container {
		return corev1.Container{Env: []corev1.EnvVar{{Name: name, Value: value}}}
	}
	for name, test := range map[string]struct {
		container corev1.Container
		want      []string
	}{
		"namespaces":           {env("WATCH_NAMESPACE", "a, b"), []string{"a", "b"}},
		"all":                  {env("WATCH_NAMESPACE", "*"), nil},
		"nothing":              {env("WATCH_NAMESPACE", ""), nil},
		"only commas":          {env("WATCH_NAMESPACE", ", ,"), nil},
		"a pattern":            {env("WATCH_NAMESPACES", "team-.*,ops"), nil},
		"a variable":           {corev1.Container{Args: []string{"--watch-namespace=$(POD_NAMESPACE)"}}, nil},
		"a flag":               {corev1.Container{Args: []string{"--namespaces=a,b"}}, []string{"a", "b"}},
		"from somewhere else":  {corev1.Container{Env: []corev1.EnvVar{{Name: "WATCH_NAMESPACE", ValueFrom: &corev1.EnvVarSource{}}}}, nil},
		"no containers at all": {},
	} {
		t.Run(name, func(t *testing.T) {
			w := cluster.Workload{Namespace: "ops"}
			w.PodTemplate.Spec.Containers = []corev1.Container{test.container}
			var got []string
			if scope := controller.WatchScopeOf(w); scope != nil {
				got = scope.Namespaces
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("scope (-want +got):\n%s", diff)
			}
		})
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
