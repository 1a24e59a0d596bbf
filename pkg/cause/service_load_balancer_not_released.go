package cause

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// The finalizers of controllers that create load balancers for Services.
const (
	// finalizerLoadBalancer is that of every cloud's own controller manager
	// (k8s.io/cloud-provider/service/helpers/helper.go).
	finalizerLoadBalancer = "service.kubernetes.io/load-balancer-cleanup"
	// finalizerAWS is that of the AWS Load Balancer Controller
	// (aws-load-balancer-controller/controllers/service/service_controller.go).
	finalizerAWS = "service.k8s.aws/resources"
)

// loadBalancerErrors are the events by which those controllers report that they could
// not delete a load balancer (k8s.io/cloud-provider/controllers/service/controller.go,
// aws-load-balancer-controller/pkg/k8s/events.go).
var loadBalancerErrors = []string{
	"SyncLoadBalancerFailed", "DeleteLoadBalancerFailed",
	"FailedBuildModel", "FailedDeployModel", "FailedRemoveFinalizer", "FailedCleanup", "FailedReconcile",
}

// ServiceLoadBalancerNotReleased blocks a Service whose load balancer in the cloud is
// not deleted.
var ServiceLoadBalancerNotReleased = kit.Cause{
	ID:    "load-balancer-not-released",
	Title: "The cloud load balancer of a Service is not deleted",
	Doc: kit.Doc{
		Symptoms: "The Service has the finalizer `service.kubernetes.io/load-balancer-cleanup` or `service.k8s.aws/resources`, and Warning events such as `SyncLoadBalancerFailed` or `FailedDeployModel`. Or the Lease cloud-controller-manager in kube-system is not renewed.",
		Why:      "The Service is deleted after its load balancer. The controller that deletes the load balancer is not running, or lacks permissions or credentials in the cloud. Or the cloud rejects the deletion because something else uses the load balancer, its address or its security group.",
		Fix:      "Fix the error in the event: grant the permissions again, or remove the resource that uses the load balancer. If the controller is not running, start it again.",
		IfForced: "The load balancer, its address and its firewall rules are left behind in the cloud, unmanaged and billed.",
	},
	Applies: func(o stuck.Object) bool {
		return o.Is("", "Service") && o.Deleting() && len(loadBalancerFinalizers(o)) > 0
	},
	Find: func(view *cluster.View, o stuck.Object) []stuck.Finding {
		if events := kit.WarningEvents(view, o, o.DeletionTime, loadBalancerErrors...); len(events) > 0 {
			return []stuck.Finding{cloudErrorFinding(view, o, events)}
		}
		lease := view.Lease("kube-system", "cloud-controller-manager")
		if o.HasFinalizer(finalizerLoadBalancer) && lease.Found() {
			if expired, ok := lease.Value.Expired(view); ok {
				return []stuck.Finding{cloudControllerManagerDownFinding(view, o, expired)}
			}
		}
		return nil
	},
}

// loadBalancerFinalizers are the finalizers of the object that wait for a load balancer.
func loadBalancerFinalizers(o stuck.Object) (out []string) {
	for _, f := range []string{finalizerLoadBalancer, finalizerAWS} {
		if o.HasFinalizer(f) {
			out = append(out, f)
		}
	}
	return out
}

func cloudErrorFinding(view *cluster.View, o stuck.Object, events []string) stuck.Finding {
	f := loadBalancerFinding(view, o)
	f.Message = "the cloud load balancer of the service cannot be deleted"
	f.Explains = loadBalancerFinalizers(o)
	f.Evidence = append(events, f.Evidence...)
	f.Steps = []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "read the events, and fix in the cloud what the last error names; the controller then retries",
		Command:     stuck.Kubectlf(o.Namespace, "describe service %s", o.Name),
	}}
	return f
}

func cloudControllerManagerDownFinding(view *cluster.View, o stuck.Object, lease cluster.Lease) stuck.Finding {
	f := loadBalancerFinding(view, o)
	f.Message = "cloud-controller-manager, which has to delete the load balancer, is not running"
	f.BlockedBy = stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name}
	f.Explains = []string{finalizerLoadBalancer}
	f.Evidence = append([]string{fmt.Sprintf("%s was last renewed %s ago (duration: %ds)",
		stuck.RefInNamespace("lease", lease.Name, lease.Namespace), duration.HumanDuration(lease.Age()), *lease.Spec.LeaseDurationSeconds)}, f.Evidence...)
	f.Steps = []stuck.Step{
		{Action: stuck.ActionCheck, Description: "see whether the pods of cloud-controller-manager run (hosted control plane: ask the provider)", Command: "kubectl -n kube-system get pods -l component=cloud-controller-manager -o wide"},
		{Action: stuck.ActionCheck, Description: "see who held the Lease, and when", Command: "kubectl -n kube-system get lease cloud-controller-manager -o yaml"},
	}
	return f
}

// loadBalancerFinding is what both have in common: the load balancer, by its address.
func loadBalancerFinding(view *cluster.View, o stuck.Object) stuck.Finding {
	f := stuck.Finding{
		BlockedBy: o.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked,
		OnForce: stuck.Cost{Leaves: stuck.LeakExternal, Description: "the load balancer, its address and its firewall rules are left behind in the cloud, unmanaged and billed"},
	}
	service, ok := cluster.ReadObject[corev1.Service](view, o)
	if !ok {
		return f
	}
	if address := ingressAddresses(service.Status.LoadBalancer.Ingress); address != "" {
		f.Evidence = []string{"the address of the load balancer is " + address}
		f.OnForce.Description = "the load balancer at " + address + " and its firewall rules are left behind in the cloud, unmanaged and billed"
	}
	return f
}

func ingressAddresses(ingress []corev1.LoadBalancerIngress) string {
	var out []string
	for _, i := range ingress {
		if i.Hostname != "" {
			out = append(out, i.Hostname)
		} else if i.IP != "" {
			out = append(out, i.IP)
		}
	}
	return strings.Join(out, ", ")
}
