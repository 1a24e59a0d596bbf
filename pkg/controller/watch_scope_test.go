package controller_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
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
		"its own":              {corev1.Container{Env: []corev1.EnvVar{{Name: "WATCH_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}}, []string{"ops"}},
		"no containers at all": {},
	} {
		t.Run(name, func(t *testing.T) {
			w := cluster.Workload{Namespace: "ops"}
			w.PodTemplate.Spec.Containers = []corev1.Container{test.container}
			var got []string
			if scope := controller.WatchScopeOf(w, controller.Controller{}); scope != nil {
				got = scope.Namespaces
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("scope (-want +got):\n%s", diff)
			}
		})
	}
}

// What the catalog says of a component counts where the pod template tells it.
func TestWatchedByComponent(t *testing.T) {
	extend := &stuck.Step{Action: stuck.ActionCheck, Description: "look"}
	for name, test := range map[string]struct {
		words []string
		env   []corev1.EnvVar
		scope catalog.Scope
		want  []string
	}{
		"flag":                          {words: []string{"/m", "--only=a,b"}, scope: catalog.Scope{Flag: "--only"}, want: []string{"a", "b"}},
		"flag and the next word":        {words: []string{"/m", "--only", "a"}, scope: catalog.Scope{Flag: "--only"}, want: []string{"a"}},
		"flag of several":               {words: []string{"/m", "--only=a", "--only=b"}, scope: catalog.Scope{Flag: "--only"}},
		"flag, not set":                 {words: []string{"/m"}, scope: catalog.Scope{Flag: "--only"}},
		"flag, not set, then its own":   {words: []string{"/m"}, scope: catalog.Scope{Flag: "--all", Own: []string{"false", ""}}, want: []string{"ops"}},
		"flag, but no command is known": {scope: catalog.Scope{Flag: "--all", Own: []string{"false", ""}}},
		"switch on":                     {words: []string{"/m", "--all=true"}, scope: catalog.Scope{Flag: "--all", Own: []string{"false", ""}}},
		"switch off":                    {words: []string{"/m", "--all=false"}, scope: catalog.Scope{Flag: "--all", Own: []string{"false", ""}}, want: []string{"ops"}},
		"variable":                      {env: []corev1.EnvVar{{Name: "ONLY", Value: "a"}}, scope: catalog.Scope{Env: "ONLY"}, want: []string{"a"}},
		"empty variable":                {env: []corev1.EnvVar{{Name: "ONLY"}}, scope: catalog.Scope{Env: "ONLY", Own: []string{""}}},
		"always its own":                {scope: catalog.Scope{OwnNamespace: true, Extend: extend}, want: []string{"ops"}},
		"convention beside it":          {env: []corev1.EnvVar{{Name: "WATCH_NAMESPACE", Value: "a"}}, scope: catalog.Scope{Flag: "--only"}, want: []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			component := catalog.Component{Workloads: []string{"deployment/farm"}, Scope: []catalog.Scope{test.scope}}
			w := cluster.Workload{Type: cluster.DeploymentType, Namespace: "ops", Name: "farm"}
			w.PodTemplate.Spec.Containers = []corev1.Container{{Name: "manager", Command: test.words, Env: test.env}}
			known := controller.Controller{CatalogMatch: catalog.Match{Entries: []catalog.Entry{{Component: component}}}}
			var got []string
			if scope := controller.WatchScopeOf(w, known); scope != nil {
				got = scope.Namespaces
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("scope (-want +got):\n%s", diff)
			}
			w.Name = "barn"
			if other := controller.WatchScopeOf(w, known); other != nil && name != "convention beside it" {
				t.Errorf("a workload that is not the component has the scope %v", other.Namespaces)
			}
		})
	}
}

// Of two installations to which the same points, one that works in other namespaces only is not the controller, be it the one that runs.
func TestInstallationForOtherNamespaces(t *testing.T) {
	const text = `
apiVersion: example.com/v1
kind: Widget
metadata: {namespace: shop, name: w1, uid: uid-of-w1}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: widget-operator}
rules: [{apiGroups: [example.com], resources: [widgets, widgets/finalizers], verbs: [update]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: widget-operator}
roleRef: {kind: ClusterRole, name: widget-operator}
subjects: [{kind: ServiceAccount, namespace: blue, name: widget-operator}, {kind: ServiceAccount, namespace: green, name: widget-operator}]
`
	installation := func(namespace, watched string, replicas int) string {
		return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: {namespace: %[1]s, name: widget-operator, uid: uid-of-%[1]s}
spec: {replicas: %[3]d, selector: {matchLabels: {app: w}}, template: {metadata: {labels: {app: w}}, spec: {serviceAccountName: widget-operator, containers: [{name: manager, env: [{name: WATCH_NAMESPACE, value: %[2]q}]}]}}}
status: {readyReplicas: %[3]d}
`, namespace, watched, replicas)
	}
	for name, test := range map[string]struct {
		blue, green string
		want        []string
	}{
		"one works there":          {"shop", "farm", []string{"blue"}},
		"one works everywhere":     {"", "farm", []string{"green", "blue"}},
		"both work there":          {"shop", "farm,shop", []string{"green", "blue"}},
		"both work somewhere else": {"barn", "farm", []string{"green", "blue"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, _ := newFakeSource(t, text+installation("blue", test.blue, 0)+installation("green", test.green, 1)).find()
			var got []string
			for _, c := range found.Candidates {
				got = append(got, c.Namespace)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("controllers (-want +got):\n%s", diff)
			}
		})
	}
}
