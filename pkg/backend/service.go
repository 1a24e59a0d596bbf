package backend

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ServiceProblems says what is wrong with a Service that the API server calls,
// nothing where nothing can be said.
func ServiceProblems(view *cluster.View, ref cluster.ServiceReference) []string {
	name := "service/" + ref.Name + " in namespace " + ref.Namespace
	service := view.Service(ref.Namespace, ref.Name)
	if service.Absent() {
		if view.Namespace(ref.Namespace).Absent() {
			return []string{fmt.Sprintf("%s does not exist, nor does that namespace", name)}
		}
		return []string{name + " does not exist"}
	}
	if !service.Found() || service.Value.Spec.Selector == nil {
		return nil
	}
	slices := view.EndpointSlices(ref.Namespace, ref.Name)
	if slices.Complete && countReadyEndpoints(slices.Items) == 0 {
		return []string{name + " has no ready endpoints"}
	}
	return nil
}

// ServiceRepairSteps is where to look for what should answer behind a Service,
// nowhere if its namespace is not known to be there, or the Service could not
// be read.
func ServiceRepairSteps(view *cluster.View, ref cluster.ServiceReference) []stuck.Step {
	service := view.Service(ref.Namespace, ref.Name)
	if !view.Namespace(ref.Namespace).Found() || !service.Found() && !service.Absent() {
		return nil
	}
	if ExternalNameClause(view, ref) != "" {
		return []stuck.Step{{What: "bring back what its service points at", Command: stuck.Shellf("kubectl -n %s get service %s", ref.Namespace, ref.Name)}}
	}
	return []stuck.Step{{What: "bring back what answers behind its service", Command: stuck.Shellf("kubectl -n %s get service,endpointslices,pods", ref.Namespace)}}
}

// ExternalNameClause says where a Service of type ExternalName points, nothing for any
// other.
func ExternalNameClause(view *cluster.View, ref cluster.ServiceReference) string {
	service := view.Service(ref.Namespace, ref.Name)
	if !service.Found() || service.Value.Spec.ExternalName == "" {
		return ""
	}
	return ", which points at " + service.Value.Spec.ExternalName
}

func countReadyEndpoints(slices []discoveryv1.EndpointSlice) int {
	n := 0
	for _, slice := range slices {
		for _, e := range slice.Endpoints {
			// An unset condition counts as ready (discovery/v1 EndpointConditions).
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				n++
			}
		}
	}
	return n
}
