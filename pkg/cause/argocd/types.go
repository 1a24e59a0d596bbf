package argocd

import (
	"cmp"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Application is what is read of one of Argo CD's
// (argoproj/argo-cd pkg/apis/application/v1alpha1/types.go).
type Application struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
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
	} `json:"status"`
}

// Project is the AppProject that the Application belongs to.
func (a Application) Project() string { return cmp.Or(a.Spec.Project, "default") }

// Destination is the cluster that the Application deploys to.
func (a Application) Destination() string {
	return cmp.Or(a.Spec.Destination.Name, a.Spec.Destination.Server)
}

// Application reads one of Argo CD's.
func ReadApplication(v *cluster.View, o stuck.Object) cluster.Answer[Application] {
	return cluster.ReadSimilar[Application](v, o.Type, o.Namespace, o.Name)
}

// Applications reads those of a namespace.
func ReadApplications(v *cluster.View, t stuck.Type, namespace string) cluster.List[Application] {
	return cluster.ReadList[Application](v, t, cluster.Selection{Namespace: namespace})
}
