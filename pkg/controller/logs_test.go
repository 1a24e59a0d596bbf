package controller

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The log that is read is that of the controller: not of the proxy before it, nor of another container, nor of one of two pods.
func TestLogsCommand(t *testing.T) {
	daemonSet := stuck.Type{Group: "apps", Version: "v1", Kind: "DaemonSet", Resource: "daemonsets", Namespaced: true}
	for name, test := range map[string]struct {
		of         stuck.Type
		containers []string
		annotation string
		desired    int
		want       string
	}{
		"one container":             {cluster.DeploymentType, []string{"manager"}, "", 1, "kubectl -n ops logs deployment/widgets"},
		"a proxy first":             {cluster.DeploymentType, []string{"kube-rbac-proxy", "manager"}, "", 1, "kubectl -n ops logs deployment/widgets -c manager"},
		"a proxy last":              {cluster.DeploymentType, []string{"manager", "kube-rbac-proxy"}, "", 1, "kubectl -n ops logs deployment/widgets"},
		"a default":                 {cluster.DeploymentType, []string{"kube-rbac-proxy", "manager"}, "manager", 1, "kubectl -n ops logs deployment/widgets"},
		"what the catalog knows":    {cluster.DeploymentType, []string{"plugin", "csi-attacher"}, "", 1, "kubectl -n ops logs deployment/widgets -c csi-attacher"},
		"the catalog and a default": {cluster.DeploymentType, []string{"plugin", "csi-attacher"}, "plugin", 2, "kubectl -n ops logs deployment/widgets -c csi-attacher --all-pods"},
		"two pods":                  {cluster.DeploymentType, []string{"manager"}, "", 2, "kubectl -n ops logs deployment/widgets --all-pods"},
		"a pod on each node":        {daemonSet, []string{"agent"}, "", 50, "kubectl -n ops logs daemonset/widgets"},
	} {
		t.Run(name, func(t *testing.T) {
			w := cluster.Workload{Type: test.of, Namespace: "ops", Name: "widgets", Desired: test.desired}
			for _, container := range test.containers {
				w.PodTemplate.Spec.Containers = append(w.PodTemplate.Spec.Containers, corev1.Container{Name: container})
			}
			if test.annotation != "" {
				w.PodTemplate.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": test.annotation}
			}
			known := catalog.Match{Entries: []catalog.Entry{{Component: catalog.Component{Containers: []string{"csi-attacher"}}}}}
			if got := (Candidate{Workload: w, container: containerToRead(w, known)}).LogsCommand(); got != test.want {
				t.Errorf("it reads %q, want %q", got, test.want)
			}
		})
	}
}
