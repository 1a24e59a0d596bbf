package controller

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/backend"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// admissionWebhookClue looks behind the admission webhooks for the type's own group: they
// are mostly served by its controller.
func admissionWebhookClue(s *search) {
	if isBuiltInType(s) {
		return
	}
	group := s.controller.Object.Type.Group
	all := backend.Webhooks(s.view)
	s.requireComplete(all.Complete)
	for _, hook := range all.Items {
		if !slices.Contains(hook.APIGroups, group) {
			continue
		}
		target := calledService{description: fmt.Sprintf("%s for API group %s", hook.ConfigurationRef, group), weight: weightFair}
		if slices.ContainsFunc(hook.APIGroups, func(g string) bool { return parentDomain(g) != parentDomain(group) }) {
			// Policy engines look at types of many makers.
			target.weight = weightWeak
		}
		if hook.Service == nil {
			s.addOtherActor(OtherActor{Description: "the server at the URL of " + target.description, NotExaminable: target.weight == weightFair})
			continue
		}
		serviceClue(s, *hook.Service, target)
	}
}

// parentDomain is the domain that a maker's API groups share: "cert-manager.io" of
// "acme.cert-manager.io".
func parentDomain(group string) string {
	parts := strings.Split(group, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// calledService is what is called through a Service, and how much it proves to serve
// it.
type calledService struct {
	description string
	weight      int
	// servesType says that it serves the type of the object itself.
	servesType bool
}

// serviceClue looks for the workloads whose Pods a Service selects.
func serviceClue(s *search, ref cluster.ServiceReference, target calledService) {
	if !isNamespaceName(ref.Namespace) || ref.Name == "" {
		return
	}
	service := s.view.Service(ref.Namespace, ref.Name)
	s.requireComplete(service.Found() || service.Absent())
	name := "service/" + ref.Name + stuck.InNamespace(ref.Namespace)
	if service.Absent() {
		addMissing := s.addNotFound
		if target.weight >= weightFair {
			addMissing = s.addDeleted
		}
		addMissing(ref.Namespace, "%s calls %s, which does not exist", target.description, name)
	}
	if !service.Found() {
		return
	}
	if len(service.Value.Spec.Selector) == 0 {
		// Its endpoints are written by hand, or are outside the cluster.
		s.addOtherActor(OtherActor{Description: fmt.Sprintf("the endpoints of %s, which has no selector and is called by %s", name, target.description), NotExaminable: target.weight == weightFair})
		return
	}
	selector := labels.SelectorFromSet(service.Value.Spec.Selector)
	workloads := s.view.Workloads(ref.Namespace)
	s.requireComplete(workloads.Complete)
	found := false
	for _, w := range workloads.Items {
		if selector.Matches(labels.Set(w.PodTemplate.Labels)) {
			s.addClue(w, target.weight, "serves %s", target.description)
			s.candidates[w.UID].ServesType = s.candidates[w.UID].ServesType || target.servesType
			found = true
		}
	}
	if !found && workloads.Complete {
		s.addNotFound(ref.Namespace, "%s calls %s, which selects no workload", target.description, name)
	}
}
