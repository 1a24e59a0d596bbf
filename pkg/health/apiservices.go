package health

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkAPIServices reads the health of the API server, and of the extension API servers
// behind it.
func checkAPIServices(ctx context.Context, c *checker, _ *typeResults) stuck.Check {
	out, parts := c.checkServer(ctx)
	if c.noListAnswered() {
		out.Incomplete, out.Summary = true, strings.Join(append(parts, "APIServices not checked"), "; ")
		return out
	}
	services := c.view.APIServices()
	out.Incomplete = out.Incomplete || !services.Complete
	available := 0
	services.Items = slices.DeleteFunc(slices.Clone(services.Items), func(s cluster.APIService) bool { return !c.includesGroup(s.Spec.Group) })
	for _, s := range services.Items {
		if a, unhealthy := c.unavailableAPIService(s); unhealthy {
			out.Problems = append(out.Problems, a)
		} else {
			available++
			if ending, ok := c.endingCertificate(s); ok {
				out.Problems = append(out.Problems, ending)
			}
		}
	}
	var users []certificateUser
	for _, s := range services.Items {
		users = append(users, certificateUser{"apiservice/" + s.Name, s.Annotations[cluster.InjectCAAnnotation]})
	}
	certificates, unread := c.certificateProblems(users)
	out.Problems, out.Incomplete = append(out.Problems, certificates...), out.Incomplete || unread
	parts = append(parts, countSummary(available, len(services.Items), "APIService", "available", services.Complete))
	out.Problems = append(out.Problems, c.staleGroups(services.Items)...)
	out.Problems = append(out.Problems, c.staleKubectlCache()...)
	out.Summary = strings.Join(parts, "; ")
	return out
}

// checkServer reads the health of the API server, and summarizes it.
func (c *checker) checkServer(ctx context.Context) (stuck.Check, []string) {
	out := stuck.Check{}
	var parts []string
	for _, path := range []string{"/readyz", "/livez"} {
		checks, err := c.server.HealthChecks(ctx, path)
		if err != nil {
			out.Incomplete = true
			parts = append(parts, path+" could not be read")
			c.view.AddGaps(stuck.Gap{Source: path, Error: apitext.ErrorMessage(err), MissingPermission: cluster.MissingPathPermission(path, err)})
			continue
		}
		failing := failingChecks(path, checks)
		out.Problems = append(out.Problems, failing...)
		if len(failing) == 0 {
			parts = append(parts, path+" ok")
		} else {
			parts = append(parts, path+" fails")
		}
	}
	return out, parts
}

// failingChecks are the problems of the API server's own checks.
func failingChecks(path string, checks []live.HealthCheck) []stuck.Problem {
	var out []stuck.Problem
	for _, c := range checks {
		if c.Passed {
			continue
		}
		out = append(out, stuck.Problem{
			State: stuck.Unhealthy, Reason: "check-fails", Subject: stuck.Culprit{Kind: "check", Name: c.Name},
			Message:  fmt.Sprintf("%s of the API server fails: %s", path, c.Name),
			Evidence: []string{strings.TrimSpace(c.Name + " " + c.Message)},
			Impact:   []string{failingCheckImpact(c.Name)},
			Steps:    []stuck.Step{{Action: stuck.ActionCheck, Description: "read the reason in the log of the API server; does the check still fail?", Command: stuck.Shellf("kubectl get --raw='%s/%s'", path, c.Name)}},
		})
	}
	return out
}

// failingCheckImpact says what does not work where a check fails.
func failingCheckImpact(check string) string {
	if strings.HasPrefix(check, "etcd") {
		return "nothing can be read or written, so nothing is deleted"
	}
	return "load balancers and the kubelet take the API server out of service or restart it, which ends all its watches"
}

// unavailableAPIService is an APIService whose server cannot be reached.
func (c *checker) unavailableAPIService(s cluster.APIService) (stuck.Problem, bool) {
	available, hasCondition := s.AvailableCondition()
	if s.Spec.Service == nil || hasCondition && available.Status == "True" {
		return stuck.Problem{}, false
	}
	problem := stuck.Problem{
		State: stuck.Unhealthy, Reason: "apiservice-unavailable", Causes: []string{cause.APIServiceUnavailable.ID}, Subject: stuck.Culprit{Kind: "APIService", Name: s.Name},
		Message: fmt.Sprintf("apiservice/%s is not available", s.Name), Impact: []string{undiscoveredImpact}, Blocks: c.stuckNamespaces(),
	}
	if hasCondition {
		problem.Evidence = append(problem.Evidence, fmt.Sprintf("%s for %s: %s", available.Reason,
			duration.HumanDuration(c.view.Now().Sub(available.LastTransitionTime.Time)), strings.Join(strings.Fields(available.Message), " ")))
	}
	problem.Evidence = append(problem.Evidence, c.backendProblems(*s.Spec.Service)...)
	showStep := stuck.Step{Action: stuck.ActionCheck, Description: fmt.Sprintf("why is apiservice/%s not available?", s.Name), Command: stuck.Shellf("kubectl describe apiservice %s", s.Name)}
	problem.Steps = append(c.backendRepairSteps(*s.Spec.Service, showStep),
		stuck.Step{Action: stuck.ActionDelete, Description: fmt.Sprintf("apiservice/%s, only if its software was uninstalled", s.Name), Command: stuck.Shellf("kubectl delete apiservice %s", s.Name)})
	return problem, true
}

// undiscoveredImpact is what does not work while a group cannot be discovered.
const undiscoveredImpact = "no namespace can be deleted until discovery of this group works again"

// staleGroups are the group versions that discovery reports as stale although their
// APIService is available.
func (c *checker) staleGroups(services []cluster.APIService) []stuck.Problem {
	var out []stuck.Problem
	for _, gv := range c.view.UndiscoveredGroupVersions() {
		known := slices.ContainsFunc(services, func(s cluster.APIService) bool {
			available, ok := s.AvailableCondition()
			return s.Name == gv.Version+"."+gv.Group && ok && available.Status != "True"
		})
		if known || !c.includesGroup(gv.Group) {
			continue
		}
		out = append(out, stuck.Problem{
			State: stuck.Unhealthy, Reason: "discovery-stale", Causes: []string{cause.APIServiceDiscoveryStale.ID}, Subject: stuck.Culprit{Kind: "APIService", Name: gv.Version + "." + gv.Group},
			Message: fmt.Sprintf("discovery of %s is stale", gv),
			Impact:  []string{undiscoveredImpact}, Blocks: c.stuckNamespaces(),
			Steps: []stuck.Step{{Action: stuck.ActionCheck, Description: fmt.Sprintf("what does the server of %s answer?", gv), Command: stuck.Shellf("kubectl get --raw=/apis/%s", gv)}},
		})
	}
	return out
}

// staleKubectlCache compares the discovery cache of kubectl with the types that are served.
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
		if !cached[gr] && c.includesType(gr.Group, gr.Resource) {
			missing = append(missing, t.String())
		}
	}
	for gr := range cached {
		if !live[gr] && c.includesType(gr.Group, gr.Resource) {
			removed = append(removed, gr.String())
		}
	}
	slices.Sort(removed)
	if len(missing)+len(removed) == 0 {
		return nil
	}
	problem := stuck.Problem{
		State: stuck.Warning, Reason: "cache-stale", Subject: stuck.Culprit{Kind: "cache", Name: "kubectl's discovery cache"},
		Message: "kubectl's discovery cache on this machine is out of date",
		Impact:  []string{"for up to six hours kubectl on this machine does not find new types, or asks for types that do not exist"},
		Steps:   []stuck.Step{{Action: stuck.ActionCheck, Description: "let kubectl refresh the cache", Command: "kubectl api-resources"}},
	}
	if len(missing) > 0 {
		problem.Evidence = append(problem.Evidence, "not in the cache: "+joinFirst(missing))
	}
	if len(removed) > 0 {
		problem.Evidence = append(problem.Evidence, "in the cache, but no longer served: "+joinFirst(removed))
	}
	return []stuck.Problem{problem}
}
