package backend

import (
	"fmt"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ServiceProblems says what is wrong with a Service that the API server calls,
// nothing where nothing can be said.
func ServiceProblems(view *cluster.View, ref cluster.ServiceReference) []string {
	name := stuck.RefInNamespace("service", ref.Name, ref.Namespace)
	service := view.Service(ref.Namespace, ref.Name)
	if service.Absent() {
		if view.Namespace(ref.Namespace).Absent() {
			return []string{fmt.Sprintf("%s does not exist, nor does the namespace", name)}
		}
		return []string{name + " does not exist"}
	}
	if !service.Found() || service.Value.Spec.Selector == nil {
		return nil
	}
	endpoints := view.EndpointSlices(ref.Namespace, ref.Name)
	if endpoints.Complete && countReadyEndpoints(endpoints.Items) == 0 {
		lines := []string{name + " has no ready endpoints"}
		for _, w := range workloadsScaledToZero(view, ref).Items {
			lines = append(lines, fmt.Sprintf("%s, which the Service selects, is scaled to 0", w.RefInNamespace()))
		}
		return lines
	}
	return nil
}

// IsServiceFullyRead reports whether everything could be read that says whether a
// Service has ready endpoints.
func IsServiceFullyRead(view *cluster.View, ref cluster.ServiceReference) bool {
	service := view.Service(ref.Namespace, ref.Name)
	if !service.Found() || len(service.Value.Spec.Selector) == 0 {
		return service.Found() || service.Absent()
	}
	return view.EndpointSlices(ref.Namespace, ref.Name).Complete
}

// workloadsScaledToZero are the workloads behind a Service that are to have no Pods. It is
// asked about Services without ready endpoints only.
func workloadsScaledToZero(view *cluster.View, ref cluster.ServiceReference) cluster.List[cluster.Workload] {
	service := view.Service(ref.Namespace, ref.Name)
	if !service.Found() || len(service.Value.Spec.Selector) == 0 {
		return cluster.List[cluster.Workload]{Complete: true}
	}
	selector := labels.SelectorFromSet(service.Value.Spec.Selector)
	out := view.Workloads(ref.Namespace)
	out.Items = slices.DeleteFunc(out.Items, func(w cluster.Workload) bool {
		return w.Desired > 0 || w.Type.Kind == cluster.DaemonSetType.Kind || !selector.Matches(labels.Set(w.PodTemplate.Labels))
	})
	return out
}

// ServiceRepairSteps are how a Service gets ready endpoints again. There are none if the
// Service or its namespace could not be read, nor in a namespace that is being
// deleted: nothing can be created there.
func ServiceRepairSteps(view *cluster.View, ref cluster.ServiceReference) []stuck.Step {
	ns, name := view.Namespace(ref.Namespace), stuck.RefInNamespace("service", ref.Name, ref.Namespace)
	switch {
	case ns.Absent():
		return []stuck.Step{{Action: stuck.ActionChange, Description: fmt.Sprintf("reinstall the software of %s in the same version, if it is still needed", name)}}
	case !ns.Found() || ns.Value.DeletionTimestamp != nil || !IsServiceFullyRead(view, ref):
		return nil
	case ExternalNameClause(view, ref) != "":
		return []stuck.Step{{Action: stuck.ActionCheck, Description: "see whether the host that " + name + " points to responds", Command: stuck.Kubectlf(ref.Namespace, "get service %s", ref.Name)}}
	}
	see := "see what runs behind " + name
	if len(ServiceProblems(view, ref)) > 0 {
		scaledDown := workloadsScaledToZero(view, ref)
		if len(scaledDown.Items) > 0 || !scaledDown.Complete {
			return scaleSteps(scaledDown.Items)
		}
		see = "see why " + name + " has no ready endpoints"
	}
	steps := []stuck.Step{{Action: stuck.ActionCheck, Description: see, Command: stuck.Kubectlf(ref.Namespace, "get service,endpointslices,pods")}}
	if view.Service(ref.Namespace, ref.Name).Absent() {
		steps[0].Description = "see what is left of the software of " + name
		steps = append(steps, stuck.Step{Action: stuck.ActionChange, Description: "recreate the Service: reinstall that software in the same version"})
	}
	return steps
}

func scaleSteps(scaledDown []cluster.Workload) []stuck.Step {
	var steps []stuck.Step
	for _, w := range scaledDown {
		steps = append(steps, stuck.Step{Action: stuck.ActionChange, Description: "scale up " + w.Ref(), Command: stuck.Kubectlf(w.Namespace, "scale %s --replicas=1", w.Ref())})
	}
	return steps
}

// ServiceLogSteps are to read the log of the Pods behind a Service, or to find out what
// runs there.
func ServiceLogSteps(view *cluster.View, ref cluster.ServiceReference, what string) []stuck.Step {
	service := view.Service(ref.Namespace, ref.Name)
	switch {
	case !service.Found():
		return ServiceRepairSteps(view, ref)
	case service.Value.Spec.ExternalName != "":
		return []stuck.Step{{Action: stuck.ActionCheck, Description: what + ", on host " + service.Value.Spec.ExternalName}}
	case len(service.Value.Spec.Selector) == 0:
		return ServiceRepairSteps(view, ref)
	}
	selector := labels.FormatLabels(service.Value.Spec.Selector)
	return []stuck.Step{{Action: stuck.ActionCheck, Description: what, Command: stuck.Kubectlf(ref.Namespace, "logs -l %s --tail=100", selector)}}
}

// ExternalNameClause says where a Service of type ExternalName points to, nothing for any
// other.
func ExternalNameClause(view *cluster.View, ref cluster.ServiceReference) string {
	service := view.Service(ref.Namespace, ref.Name)
	if !service.Found() || service.Value.Spec.ExternalName == "" {
		return ""
	}
	return ", which points to " + service.Value.Spec.ExternalName
}

func countReadyEndpoints(endpoints []discoveryv1.EndpointSlice) int {
	n := 0
	for _, slice := range endpoints {
		for _, e := range slice.Endpoints {
			// An unset condition counts as ready (discovery/v1 EndpointConditions).
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				n++
			}
		}
	}
	return n
}
