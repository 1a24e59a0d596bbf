package owner

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// webhooks looks behind the admission webhooks for the type's own group: they
// are mostly served by its controller.
func webhooks(s *search) {
	if builtInType(s) {
		return
	}
	all := s.see.Webhooks()
	s.needs(all.Complete)
	for _, hook := range all.Items {
		if hook.Service != nil && slices.Contains(hook.Groups, s.owner.Object.Type.Group) {
			behind(s, *hook.Service, hook.Configuration)
		}
	}
}

// behind looks for the workloads whose Pods a Service selects.
func behind(s *search, ref cluster.ServiceReference, who string) {
	service := s.see.Service(ref.Namespace, ref.Name)
	s.needs(service.Found() || service.Absent())
	if service.Absent() {
		s.trace(ref.Namespace, "%s for its API group calls service %s/%s, which does not exist", who, ref.Namespace, ref.Name)
	}
	if !service.Found() || len(service.Value.Spec.Selector) == 0 {
		return
	}
	selector := labels.SelectorFromSet(service.Value.Spec.Selector)
	runs := s.see.Workloads(ref.Namespace)
	s.needs(runs.Complete)
	for _, w := range runs.Items {
		if selector.Matches(labels.Set(w.Pod.Labels)) {
			s.point(w, fair, "it serves %s for API group %s", who, s.owner.Object.Type.Group)
		}
	}
}
