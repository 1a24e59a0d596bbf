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

// The finalizers of controllers that make load balancers for Services.
const (
	// finalizerLoadBalancer is that of every cloud's own controller manager
	// (k8s.io/cloud-provider/service/helpers/helper.go).
	finalizerLoadBalancer = "service.kubernetes.io/load-balancer-cleanup"
	// finalizerAWS is that of the AWS Load Balancer Controller
	// (aws-load-balancer-controller/controllers/service/service_controller.go).
	finalizerAWS = "service.k8s.aws/resources"
)

// loadBalancerErrors are the events by which those controllers say that they could
// not release a load balancer (k8s.io/cloud-provider/controllers/service/controller.go,
// aws-load-balancer-controller/pkg/k8s/events.go).
var loadBalancerErrors = []string{
	"SyncLoadBalancerFailed", "DeleteLoadBalancerFailed",
	"FailedBuildModel", "FailedDeployModel", "FailedRemoveFinalizer", "FailedCleanup", "FailedReconcile",
}

// ServiceLoadBalancerNotReleased holds a Service whose load balancer in the cloud is
// still there.
var ServiceLoadBalancerNotReleased = kit.Cause{
	ID:    "load-balancer-not-released",
	Title: "The cloud's load balancer behind a Service is not released",
	Doc: kit.Doc{
		Symptoms: "The Service has the finalizer `service.kubernetes.io/load-balancer-cleanup` or `service.k8s.aws/resources`, and Warning events such as `SyncLoadBalancerFailed` or `FailedDeployModel`; or the Lease kube-system/cloud-controller-manager is no longer renewed.",
		Why:      "The Service goes once its load balancer is gone. The controller that has to delete it is down, lacks rights or credentials in the cloud, or the cloud refuses because something else still uses the load balancer, its address or its security group.",
		Fix:      "Do what the event says: give the controller its rights back, or free what is still used. If the controller is down, bring it back.",
		IfForced: "The load balancer, its address and its firewall rules keep existing and keep costing money. Nothing in the cluster knows of them any more.",
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
	f.Message = "its load balancer cannot be released: the controller that tries fails"
	f.Explains = loadBalancerFinalizers(o)
	f.Evidence = append(events, f.Evidence...)
	f.Steps = []stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "do what the last event asks for; the controller tries again by itself",
		Command:     stuck.Kubectlf(o.Namespace, "describe service %s", o.Name),
	}}
	return f
}

func cloudControllerManagerDownFinding(view *cluster.View, o stuck.Object, lease cluster.Lease) stuck.Finding {
	f := loadBalancerFinding(view, o)
	f.Message = "the cloud controller manager, which has to release its load balancer, is not running"
	f.BlockedBy = stuck.Culprit{Kind: "Lease", Namespace: lease.Namespace, Name: lease.Name}
	f.Explains = []string{finalizerLoadBalancer}
	f.Evidence = append([]string{fmt.Sprintf("lease/%s -n %s was last renewed %s ago, and is good for %ds",
		lease.Name, lease.Namespace, duration.HumanDuration(lease.Age()), *lease.Spec.LeaseDurationSeconds)}, f.Evidence...)
	f.Steps = []stuck.Step{
		{Action: stuck.ActionCheck, Description: "see whether its pods run (where the control plane is hosted, ask the provider)", Command: "kubectl -n kube-system get pods -l component=cloud-controller-manager -o wide"},
		{Action: stuck.ActionCheck, Description: "see who held its lease and when", Command: "kubectl -n kube-system get lease cloud-controller-manager -o yaml"},
	}
	return f
}

// loadBalancerFinding is what both have in common: the load balancer, by its address.
func loadBalancerFinding(view *cluster.View, o stuck.Object) stuck.Finding {
	f := stuck.Finding{
		BlockedBy: o.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked,
		OnForce: stuck.Cost{Leaves: stuck.LeakExternal, Description: "the load balancer keeps existing and keeps costing money, and so do its address and its firewall rules"},
	}
	service, ok := cluster.ReadObject[corev1.Service](view, o)
	if !ok {
		return f
	}
	if address := ingressAddresses(service.Status.LoadBalancer.Ingress); address != "" {
		f.Evidence = []string{"its load balancer answers at " + address}
		f.OnForce.Description = "the load balancer at " + address + " keeps existing and keeps costing money, and so do its firewall rules"
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
