package controller_test

import (
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
		"its own":              {corev1.Container{Env: []corev1.EnvVar{{Name: "WATCH_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}}}, []string{"ops"}},
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
