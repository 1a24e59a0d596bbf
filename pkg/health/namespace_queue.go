package health

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxExtensionListTime is how long an extension server may take to list one object. The
// namespace controller deletes and lists every namespaced type in each namespace that it works
// on, one type after the other (deleteAllContent in
// kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go).
const maxExtensionListTime = time.Second

// namespaceQueue says how many namespaces are being deleted, and since when the oldest is.
func (c *checker) namespaceQueue() string {
	namespaces := c.snapshot.deletingNamespaces()
	if len(namespaces) == 0 {
		return "no namespace is being deleted"
	}
	oldest := slices.MinFunc(namespaces, func(a, b stuck.Object) int { return a.DeletionTime.Compare(b.DeletionTime) })
	verb := "are"
	if len(namespaces) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s being deleted, the oldest (%s) for %s", stuck.Count(len(namespaces), "namespace"), verb, oldest.Name,
		duration.HumanDuration(c.view.Now().Sub(oldest.DeletionTime)))
}

// slowExtensions are the warnings for types of extension servers that answer lists slowly. The
// workers of the namespace controller share all namespaces, 10 by default
// (--concurrent-namespace-syncs), so such a server delays those too that hold none of its objects.
func (c *checker) slowExtensions() []stuck.Problem {
	var out []stuck.Problem
	for _, l := range c.lists {
		if l.First == nil || !l.Type.Namespaced || l.Duration < maxExtensionListTime || stuck.IsBuiltInGroup(l.Type.Group) {
			continue
		}
		if s := c.view.APIService(l.Type.Group, l.Type.Version); s.Found() && s.Value.Spec.Service != nil {
			out = append(out, slowExtension(l, *s.Value.Spec.Service))
		}
	}
	return out
}

func slowExtension(l listResult, service cluster.ServiceReference) stuck.Problem {
	behind := stuck.RefInNamespace("service", service.Name, service.Namespace)
	return stuck.Problem{
		State: stuck.Warning, Reason: "extension-slow", Subject: typeSubject(l.Type.String()),
		Message:  fmt.Sprintf("the extension server of %s responds slowly", l.Type),
		Evidence: []string{fmt.Sprintf("the list of one object took %s; %s answers it", l.Duration.Round(10*time.Millisecond), behind)},
		Impact:   []string{"the namespace controller sends it several requests for each namespace that is deleted, also for those without such objects, and waits for each answer"},
		Steps: []stuck.Step{{
			Action: stuck.ActionCheck, Description: "why does " + behind + " respond slowly? See its pods and their CPU limits",
			Command: stuck.Kubectlf(service.Namespace, "get service,endpointslices,pods -o wide"),
		}},
	}
}
