package argocd

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// Application is what is read of one of Argo CD's
// (argoproj/argo-cd pkg/apis/application/v1alpha1/types.go).
type Application struct {
	metav1.ObjectMeta `json:"metadata"`
	// Operation is what Argo CD is to do, gone once it is done.
	Operation map[string]any `json:"operation"`
	Spec      struct {
		Project     string `json:"project"`
		Destination struct {
			Server    string `json:"server"`
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"destination"`
	} `json:"spec"`
	Status struct {
		ControllerNamespace string              `json:"controllerNamespace"`
		Conditions          []cluster.Condition `json:"conditions"`
		OperationState      struct {
			Phase     string      `json:"phase"`
			Message   string      `json:"message"`
			StartedAt metav1.Time `json:"startedAt"`
		} `json:"operationState"`
	} `json:"status"`
}

// Project is the AppProject that the Application belongs to.
func (a Application) Project() string { return cmp.Or(a.Spec.Project, "default") }

// Destination is the cluster that the Application deploys to.
func (a Application) Destination() string {
	return cmp.Or(a.Spec.Destination.Name, a.Spec.Destination.Server)
}

// isInCluster reports whether the Application deploys to the cluster of its Argo CD
// (argoproj/argo-cd pkg/apis/application/v1alpha1/types.go, KubernetesInternalAPIServerAddr).
func (a Application) isInCluster() bool {
	return a.Spec.Destination.Name == "in-cluster" || a.Spec.Destination.Server == "https://kubernetes.default.svc"
}
