package preflight

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// finalizerLoadBalancer is removed by a cloud-controller-manager
// (k8s.io/cloud-provider/service/helpers/helper.go).
const finalizerLoadBalancer = "service.kubernetes.io/load-balancer-cleanup"

// cloudControllerRuns reports whether the controller of load balancers shows that it runs.
func (f *foresight) cloudControllerRuns(finalizer string) bool {
	if finalizer != finalizerLoadBalancer || f.mayLoseCloudController() != "" {
		return false
	}
	lease := f.present.Lease(metav1.NamespaceSystem, "cloud-controller-manager")
	return lease.Found() && lease.Value.IsRenewed()
}

// stoppedCloudController is the cloud-controller-manager, if that is deleted: those of clouds have its name with
// their own before it.
func (f *foresight) stoppedCloudController() (cluster.Workload, bool) {
	const name = "cloud-controller-manager"
	for _, w := range f.stopped {
		if strings.HasSuffix(w.Name, name) || controller.RunsAs(w, name) {
			return w, true
		}
	}
	return cluster.Workload{}, false
}

// mayLoseCloudController is why the controller of load balancers may be lost, empty where it is not. It has any name, and
// those of clouds share one Lease: what it needs is to patch Services everywhere.
func (f *foresight) mayLoseCloudController() string {
	if w, stops := f.stoppedCloudController(); stops {
		return w.RefInNamespace() + " is deleted"
	}
	for _, w := range f.stopped {
		if mayPatchServices(f.present, w.Namespace, w.ServiceAccountName()) {
			return w.RefInNamespace() + " is deleted, and may patch services"
		}
	}
	losesRoles := false
	for _, o := range f.deleted.all {
		if o.Is("", "ServiceAccount") && mayPatchServices(f.present, o.Namespace, o.Name) {
			return o.RefInNamespace() + " is deleted, and may patch services"
		}
		losesRoles = losesRoles || o.Type.Group == rbacv1.GroupName && o.Namespace == ""
	}
	if !losesRoles {
		return ""
	}
	for _, b := range f.present.Bindings("").Items {
		for _, subject := range b.Subjects {
			isAccount := subject.Kind == rbacv1.ServiceAccountKind
			if isAccount && mayPatchServices(f.present, subject.Namespace, subject.Name) && !mayPatchServices(f.later, subject.Namespace, subject.Name) {
				return "what allows " + stuck.RefInNamespace("serviceaccount", subject.Name, subject.Namespace) + " to patch services is deleted"
			}
		}
	}
	return ""
}

// mayPatchServices reports whether a ServiceAccount may patch Services everywhere, as far as roles can be read: those that
// cannot are gaps.
func mayPatchServices(view *cluster.View, namespace, account string) bool {
	allowed, _ := controller.AccountMay(view, namespace, account, stuck.Object{Type: cluster.ServiceType}, "patch")
	return allowed
}
