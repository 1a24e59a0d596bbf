package health

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkAPIServices asks the API server how it does itself, and how the servers
// behind it do.
func checkAPIServices(ctx context.Context, c *checker, _ *typeResults) stuck.Check {
	out := stuck.Check{}
	var parts []string
	for _, path := range []string{"/readyz", "/livez"} {
		checks, err := c.server.HealthChecks(ctx, path)
		if err != nil {
			out.Incomplete = true
			c.view.AddGaps(stuck.Gap{Source: path, Error: apitext.ErrorMessage(err), MissingPermission: cluster.MissingPathPermission(path, err)})
			continue
		}
		failing := failingChecks(path, checks)
		out.Problems = append(out.Problems, failing...)
		if len(failing) == 0 {
			parts = append(parts, path+" passes")
		}
	}
	if c.noListAnswered() {
		out.Incomplete, out.Summary = true, "APIServices were not asked for, as the API server answers no list"
		return out
	}
	services := c.view.APIServices()
	out.Incomplete = out.Incomplete || !services.Complete
	available := 0
	for _, s := range services.Items {
		if a, unhealthy := c.unavailableAPIService(s); unhealthy {
			out.Problems = append(out.Problems, a)
		} else {
			available++
		}
	}
	parts = append(parts, countSummary(available, len(services.Items), "APIService", "available", services.Complete))
	out.Problems = append(out.Problems, c.staleGroups(services.Items)...)
	out.Problems = append(out.Problems, c.staleKubectlCache()...)
	out.Summary = strings.Join(parts, "; ")
	return out
}

// failingChecks are the checks of the API server that fail.
func failingChecks(path string, checks []live.HealthCheck) []stuck.Problem {
	var out []stuck.Problem
	for _, c := range checks {
		if c.Passed {
			continue
		}
		out = append(out, stuck.Problem{
			State: stuck.Unhealthy, Reason: "check-fails", Subject: stuck.Culprit{Kind: "check", Name: c.Name},
			Summary:  fmt.Sprintf("the API server's %s fails on %s", path, c.Name),
			Evidence: []string{strings.TrimSpace(c.Name + " " + c.Message)},
			Impact:   []string{failingCheckImpact(c.Name)},
			Steps:    []stuck.Step{{Action: stuck.ActionCheck, Description: "see the reason, which only its log tells", Command: stuck.Shellf("kubectl get --raw='%s/%s'", path, c.Name)}},
		})
	}
	return out
}

// failingCheckImpact says what comes of a failing check.
func failingCheckImpact(check string) string {
	if strings.HasPrefix(check, "etcd") {
		return "nothing can be read or written, so nothing at all is deleted"
	}
	return "whoever watches over the API server takes it out of service or restarts it, and every watch with it"
}

// unavailableAPIService is an APIService whose server cannot be reached.
func (c *checker) unavailableAPIService(s cluster.APIService) (stuck.Problem, bool) {
	available, hasCondition := s.AvailableCondition()
	if s.Spec.Service == nil || hasCondition && available.Status == "True" {
		return stuck.Problem{}, false
	}
	problem := stuck.Problem{
		State: stuck.Unhealthy, Reason: "apiservice-unavailable", Subject: stuck.Culprit{Kind: "APIService", Name: s.Name},
		Summary: fmt.Sprintf("apiservice/%s is not available", s.Name), Impact: c.undiscoveredImpact(),
	}
	if hasCondition {
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("%s for %s: %s", available.Reason,
			duration.HumanDuration(c.view.Now().Sub(available.LastTransitionTime.Time)), strings.Join(strings.Fields(available.Message), " ")))
	}
	problem.Evidence = append(problem.Evidence, c.backendProblems(*s.Spec.Service)...)
	showStep := stuck.Step{Action: stuck.ActionCheck, Description: "see why it is not available", Command: stuck.Shellf("kubectl describe apiservice %s", s.Name)}
	problem.Steps = append(c.backendRepairSteps(*s.Spec.Service, showStep),
		stuck.Step{Action: stuck.ActionDelete, Description: "or, if its software is gone for good, delete it", Command: stuck.Shellf("kubectl delete apiservice %s", s.Name)})
	return problem, true
}

// undiscoveredImpact says who suffers from a group that cannot be discovered.
func (c *checker) undiscoveredImpact() []string {
	if waiting := c.snapshot.deletingNamespaces(); len(waiting) > 0 {
		return []string{"no namespace can finish being deleted meanwhile; these wait: " + joinFirst(waiting)}
	}
	return []string{"no namespace that is deleted can finish meanwhile"}
}

// staleGroups are the group versions that discovery calls stale though their
// APIService is said to be available.
func (c *checker) staleGroups(services []cluster.APIService) []stuck.Problem {
	var out []stuck.Problem
	for _, gv := range c.view.UndiscoveredGroupVersions() {
		known := slices.ContainsFunc(services, func(s cluster.APIService) bool {
			available, ok := s.AvailableCondition()
			return s.Name == gv.Version+"."+gv.Group && ok && available.Status != "True"
		})
		if known {
			continue
		}
		out = append(out, stuck.Problem{
			State: stuck.Unhealthy, Reason: "discovery-stale", Subject: stuck.Culprit{Kind: "APIService", Name: gv.Version + "." + gv.Group},
			Summary: fmt.Sprintf("discovery of %s is stale", gv),
			Impact:  c.undiscoveredImpact(),
			Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "see what its server answers", Command: stuck.Shellf("kubectl get --raw=/apis/%s", gv)}},
		})
	}
	return out
}

// staleKubectlCache compares what kubectl remembers of the server with the server.
func (c *checker) staleKubectlCache() []stuck.Problem {
	if c.KubectlCache == nil {
		return nil
	}
	cached, live := map[schema.GroupResource]bool{}, map[schema.GroupResource]bool{}
	for _, gr := range c.KubectlCache {
		cached[gr] = true
	}
	var missing, removed []string
	for _, t := range c.Served {
		gr := t.GVR().GroupResource()
		live[gr] = true
		if !cached[gr] {
			missing = append(missing, t.String())
		}
	}
	for gr := range cached {
		if !live[gr] {
			removed = append(removed, gr.String())
		}
	}
	slices.Sort(removed)
	if len(missing)+len(removed) == 0 {
		return nil
	}
	problem := stuck.Problem{
		State: stuck.Warning, Reason: "cache-stale", Subject: stuck.Culprit{Kind: "cache", Name: "kubectl's discovery cache"},
		Summary: "kubectl's cache of the server's types is out of date",
		Impact:  []string{"kubectl on this machine does not find types that there are, or asks for types that are gone, for up to six hours"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "let kubectl ask anew", Command: "kubectl api-resources"}},
	}
	if len(missing) > 0 {
		problem.Evidence = append(problem.Evidence, "it does not know "+joinFirst(missing))
	}
	if len(removed) > 0 {
		problem.Evidence = append(problem.Evidence, "it knows "+joinFirst(removed)+", which the server no longer serves")
	}
	return []stuck.Problem{problem}
}
