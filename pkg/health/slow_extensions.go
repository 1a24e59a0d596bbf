package health

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxExtensionListTime is how much longer an extension server may take to list one object than
// the API server takes. The namespace controller deletes and lists every namespaced type in
// each namespace that it works on, one type after the other (deleteAllContent in
// kubernetes/pkg/controller/namespace/deletion/namespaced_resources_deleter.go).
const maxExtensionListTime = time.Second

// slowExtensions are the warnings for types of extension servers that answer lists slowly. The
// workers of the namespace controller share all namespaces, 10 by default
// (--concurrent-namespace-syncs), so such a server delays those too that hold none of its objects.
//
// A slow connection to the API server, or one that throttles this user, delays the lists of all
// types: what counts is the time above that of built-in types, and of two lists the faster.
func (c *checker) slowExtensions(ctx context.Context) []stuck.Problem {
	var out []stuck.Problem
	limit := c.builtInListTime() + maxExtensionListTime
	for _, l := range c.lists {
		if l.First == nil || !l.Type.Namespaced || l.Duration < limit || stuck.IsBuiltInGroup(l.Type.Group) {
			continue
		}
		if s := c.view.APIService(l.Type.Group, l.Type.Version); s.Found() && s.Value.Spec.Service != nil {
			since := c.Clock()
			_, err := c.server.ListFirst(ctx, l.Type, c.Namespace)
			if again := c.Clock().Sub(since); err == nil && again < l.Duration {
				l.Duration = again
			}
			if l.Duration >= limit {
				out = append(out, slowExtension(l, *s.Value.Spec.Service))
			}
		}
	}
	return out
}

// builtInListTime is how long the list of one object of a built-in type took, in the middle of
// all.
func (c *checker) builtInListTime() time.Duration {
	var all []time.Duration
	for _, l := range c.lists {
		if l.First != nil && stuck.IsBuiltInGroup(l.Type.Group) {
			all = append(all, l.Duration)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
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
