package owner

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
)

// webhooks looks behind the admission webhooks for the type's own group: they
// are mostly served by its controller.
func webhooks(s *search) {
	if builtInType(s) {
		return
	}
	group := s.owner.Object.Type.Group
	all := s.see.Webhooks()
	s.needs(all.Complete)
	for _, hook := range all.Items {
		if !slices.Contains(hook.Groups, group) {
			continue
		}
		to := backend{what: fmt.Sprintf("%s for API group %s", hook.Configuration, group), weight: fair}
		if slices.ContainsFunc(hook.Groups, func(g string) bool { return family(g) != family(group) }) {
			// Policy engines look at types of many makers.
			to.weight = weak
		}
		if hook.Service == nil {
			s.other(Other{Says: "whatever answers at the address that " + to.what + " calls", Unseen: to.weight == fair})
			continue
		}
		behind(s, *hook.Service, to)
	}
}

// family is the domain that a maker's API groups share: "cert-manager.io" of
// "acme.cert-manager.io".
func family(group string) string {
	parts := strings.Split(group, ".")
	return strings.Join(parts[max(0, len(parts)-2):], ".")
}

// backend is what is called through a Service, and how much it tells to serve
// it.
type backend struct {
	what   string
	weight int
}

// behind looks for the workloads whose Pods a Service selects.
func behind(s *search, ref cluster.ServiceReference, to backend) {
	if !isNamespace(ref.Namespace) || ref.Name == "" {
		return
	}
	service := s.see.Service(ref.Namespace, ref.Name)
	s.needs(service.Found() || service.Absent())
	name := ref.Namespace + "/" + ref.Name
	if service.Absent() {
		leave := s.trace
		if to.weight >= fair {
			leave = s.gone
		}
		leave(ref.Namespace, "%s calls service %s, which does not exist", to.what, name)
	}
	if !service.Found() {
		return
	}
	if len(service.Value.Spec.Selector) == 0 {
		// Its endpoints are written by hand, or are outside the cluster.
		s.other(Other{Says: fmt.Sprintf("whatever answers behind service %s, which %s calls", name, to.what), Unseen: to.weight == fair})
		return
	}
	selector := labels.SelectorFromSet(service.Value.Spec.Selector)
	runs := s.see.Workloads(ref.Namespace)
	s.needs(runs.Complete)
	found := false
	for _, w := range runs.Items {
		if selector.Matches(labels.Set(w.Pod.Labels)) {
			s.point(w, to.weight, "it serves %s", to.what)
			found = true
		}
	}
	if !found && runs.Complete {
		s.trace(ref.Namespace, "%s calls service %s, and no workload is behind it", to.what, name)
	}
}
