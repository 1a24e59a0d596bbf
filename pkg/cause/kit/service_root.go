package kit

import (
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// faultWords are the faults of a workload in a sentence.
var faultWords = map[controller.Fault]string{
	controller.FaultCrashLooping: "is crash-looping", controller.FaultCannotStart: "cannot start", controller.FaultNotReady: "is not ready",
}

// ServiceRoot is what is behind a Service that has a problem, one step further: its
// namespace, or the workload that it selects and what is wrong with that.
func ServiceRoot(view *cluster.View, ref cluster.ServiceReference) controller.Root {
	service := view.Service(ref.Namespace, ref.Name)
	if len(backend.ServiceProblems(view, ref)) == 0 {
		return controller.Root{}
	}
	switch ns := view.Namespace(ref.Namespace); {
	case ns.Absent():
		return controller.Root{Text: "namespace/" + ref.Namespace + " does not exist"}
	case ns.Found() && ns.Value.DeletionTimestamp != nil:
		return controller.Root{
			Text:     "namespace/" + ref.Namespace + " is being deleted",
			Evidence: []string{"namespace/" + ref.Namespace + " is being deleted, so nothing can be created there"},
		}
	}
	if !service.Found() || len(service.Value.Spec.Selector) == 0 {
		return controller.Root{}
	}
	selector := labels.SelectorFromSet(service.Value.Spec.Selector)
	for _, w := range view.Workloads(ref.Namespace).Items {
		if selector.Matches(labels.Set(w.PodTemplate.Labels)) {
			return workloadRoot(view, w)
		}
	}
	return controller.Root{}
}

// workloadRoot is a workload that does not run behind a Service. Its namespace is that of
// the Service, which the evidence names.
func workloadRoot(view *cluster.View, w cluster.Workload) controller.Root {
	if w.Desired == 0 && w.Type.Kind != cluster.DaemonSetType.Kind {
		return controller.Root{Text: w.Ref() + " is scaled to 0"}
	}
	health := controller.CheckHealth(view, w)
	if health.Alive != stuck.NotRunning {
		return controller.Root{}
	}
	root := controller.Root{
		Text: w.Ref() + " " + faultWords[health.Fault], Steps: health.Root.Steps,
		Evidence: append(health.Evidence[1:], health.Evidence[0]),
	}
	if health.Root.Culprit != nil {
		root.Text = health.Root.Text // the evidence leads to it
	}
	return root
}

// AddServiceRoot names in a finding what is behind a Service that has a problem: that the
// webhook is unreachable follows from it, and is said no more.
func AddServiceRoot(view *cluster.View, f *stuck.Finding, ref cluster.ServiceReference) {
	root := ServiceRoot(view, ref)
	if root.Text == "" {
		return
	}
	f.Message = strings.Replace(f.Message, " "+backend.WebhookUnreachable+" and rejects", " rejects", 1) + ": " + root.Text
	f.Evidence = append(f.Evidence, root.Evidence...)
	f.Steps = append(root.Steps, f.Steps...)
}
