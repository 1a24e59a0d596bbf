package owner

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ServiceState says what is wrong with a Service that the API server calls,
// nothing where nothing can be said.
func ServiceState(see *cluster.View, ref cluster.ServiceReference) []string {
	name := "service/" + ref.Name + " in namespace " + ref.Namespace
	service := see.Service(ref.Namespace, ref.Name)
	if service.Absent() {
		if see.Namespace(ref.Namespace).Absent() {
			return []string{fmt.Sprintf("%s does not exist, nor does that namespace", name)}
		}
		return []string{name + " does not exist"}
	}
	if !service.Found() || service.Value.Spec.Selector == nil {
		return nil
	}
	slices := see.Endpoints(ref.Namespace, ref.Name)
	if slices.Complete && readyEndpoints(slices.Items) == 0 {
		return []string{name + " has no ready endpoints"}
	}
	return nil
}

// ReviveService is where to look for what should answer behind a Service,
// nowhere if its namespace is not known to be there, or the Service could not
// be read.
func ReviveService(see *cluster.View, ref cluster.ServiceReference) []stuck.Step {
	service := see.Service(ref.Namespace, ref.Name)
	if !see.Namespace(ref.Namespace).Found() || !service.Found() && !service.Absent() {
		return nil
	}
	if PointsAt(see, ref) != "" {
		return []stuck.Step{{What: "bring back what its service points at", Command: fmt.Sprintf("kubectl -n %s get service %s", ref.Namespace, ref.Name)}}
	}
	return []stuck.Step{{What: "bring back what answers behind its service", Command: fmt.Sprintf("kubectl -n %s get service,endpointslices,pods", ref.Namespace)}}
}

// PointsAt says where a Service of type ExternalName points, nothing for any
// other.
func PointsAt(see *cluster.View, ref cluster.ServiceReference) string {
	service := see.Service(ref.Namespace, ref.Name)
	if !service.Found() || service.Value.Spec.ExternalName == "" {
		return ""
	}
	return ", which points at " + service.Value.Spec.ExternalName
}

func readyEndpoints(slices []discoveryv1.EndpointSlice) int {
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
