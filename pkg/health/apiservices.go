package health

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/owner"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// checkAPIServices asks the API server how it does itself, and how the servers
// behind it do.
func checkAPIServices(ctx context.Context, e *examination, _ *types) stuck.CheckUp {
	out := stuck.CheckUp{}
	var says []string
	for _, path := range []string{"/readyz", "/livez"} {
		checks, err := e.server.Checks(ctx, path)
		if err != nil {
			out.Incomplete = true
			e.see.Note(stuck.Gap{Source: path, Error: cluster.Reason(err), Needs: cluster.NeedsPath(path, err)})
			continue
		}
		failing := failingChecks(path, checks)
		out.Ailments = append(out.Ailments, failing...)
		if len(failing) == 0 {
			says = append(says, path+" passes")
		}
	}
	if e.mute() {
		out.Incomplete, out.Summary = true, "APIServices were not asked for, as the API server answers no list"
		return out
	}
	services := e.see.APIServices()
	out.Incomplete = out.Incomplete || !services.Complete
	available := 0
	for _, s := range services.Items {
		if a, ill := e.unavailable(s); ill {
			out.Ailments = append(out.Ailments, a)
		} else {
			available++
		}
	}
	says = append(says, share(available, len(services.Items), "APIService", "available", services.Complete))
	out.Ailments = append(out.Ailments, e.staleGroups(services.Items)...)
	out.Ailments = append(out.Ailments, e.staleCache()...)
	out.Summary = strings.Join(says, "; ")
	return out
}

// failingChecks are the checks of the API server that fail.
func failingChecks(path string, checks []cluster.Check) []stuck.Ailment {
	var out []stuck.Ailment
	for _, c := range checks {
		if c.Passed {
			continue
		}
		out = append(out, stuck.Ailment{
			State: stuck.Ill, Reason: "check-fails", Subject: stuck.Culprit{Kind: "check", Name: c.Name},
			Summary:  fmt.Sprintf("the API server's %s fails on %s", path, c.Name),
			Evidence: []string{strings.TrimSpace(c.Name + " " + c.Says)},
			Hurts:    []string{hurtBy(c.Name)},
			Fix:      []stuck.Step{{What: "see the reason, which only its log tells", Command: "kubectl get --raw='" + path + "/" + c.Name + "'"}},
		})
	}
	return out
}

// hurtBy says what comes of a failing check.
func hurtBy(check string) string {
	if strings.HasPrefix(check, "etcd") {
		return "nothing can be read or written, so nothing at all is deleted"
	}
	return "whoever watches over the API server takes it out of service or restarts it, and every watch with it"
}

// unavailable is an APIService whose server cannot be reached.
func (e *examination) unavailable(s cluster.APIService) (stuck.Ailment, bool) {
	available, said := s.Available()
	if s.Spec.Service == nil || said && available.Status == "True" {
		return stuck.Ailment{}, false
	}
	a := stuck.Ailment{
		State: stuck.Ill, Reason: "apiservice-unavailable", Subject: stuck.Culprit{Kind: "APIService", Name: s.Name},
		Summary: fmt.Sprintf("apiservice/%s is not available", s.Name), Hurts: e.undiscovered(),
	}
	if said {
		a.Evidence = append(a.Evidence, fmt.Sprintf("%s for %s: %s", available.Reason,
			duration.HumanDuration(e.see.Now().Sub(available.LastTransitionTime.Time)), strings.Join(strings.Fields(available.Message), " ")))
	}
	a.Evidence = append(a.Evidence, owner.ServiceState(e.see, *s.Spec.Service)...)
	a.Fix = append(owner.ReviveService(e.see, *s.Spec.Service),
		stuck.Step{What: "or, if its software is gone for good, delete it", Command: "kubectl delete apiservice " + s.Name})
	return a, true
}

// undiscovered says who suffers from a group that cannot be discovered.
func (e *examination) undiscovered() []string {
	if waiting := e.world.waiting(); len(waiting) > 0 {
		return []string{"no namespace can finish being deleted meanwhile; these wait: " + few(waiting)}
	}
	return []string{"no namespace that is deleted can finish meanwhile"}
}

// staleGroups are the group versions that discovery calls stale though their
// APIService is said to be available.
func (e *examination) staleGroups(services []cluster.APIService) []stuck.Ailment {
	var out []stuck.Ailment
	for _, gv := range e.see.Undiscovered() {
		known := slices.ContainsFunc(services, func(s cluster.APIService) bool {
			available, ok := s.Available()
			return s.Name == gv.Version+"."+gv.Group && ok && available.Status != "True"
		})
		if known {
			continue
		}
		out = append(out, stuck.Ailment{
			State: stuck.Ill, Reason: "discovery-stale", Subject: stuck.Culprit{Kind: "APIService", Name: gv.Version + "." + gv.Group},
			Summary: fmt.Sprintf("discovery of %s is stale", gv),
			Hurts:   e.undiscovered(),
			Fix:     []stuck.Step{{What: "see what its server answers", Command: "kubectl get --raw=/apis/" + gv.String()}},
		})
	}
	return out
}

// staleCache compares what kubectl remembers of the server with the server.
func (e *examination) staleCache() []stuck.Ailment {
	if e.Cached == nil {
		return nil
	}
	cached, live := map[schema.GroupResource]bool{}, map[schema.GroupResource]bool{}
	for _, gr := range e.Cached {
		cached[gr] = true
	}
	var missing, gone []string
	for _, t := range e.Served {
		gr := t.GVR().GroupResource()
		live[gr] = true
		if !cached[gr] {
			missing = append(missing, t.String())
		}
	}
	for gr := range cached {
		if !live[gr] {
			gone = append(gone, gr.String())
		}
	}
	slices.Sort(gone)
	if len(missing)+len(gone) == 0 {
		return nil
	}
	a := stuck.Ailment{
		State: stuck.Doubtful, Reason: "cache-stale", Subject: stuck.Culprit{Kind: "cache", Name: "kubectl's discovery cache"},
		Summary: "kubectl's cache of the server's types is out of date",
		Hurts:   []string{"kubectl on this machine does not find types that there are, or asks for types that are gone, for up to six hours"},
		Fix:     []stuck.Step{{What: "let kubectl ask anew", Command: "kubectl api-resources"}},
	}
	if len(missing) > 0 {
		a.Evidence = append(a.Evidence, "it does not know "+few(missing))
	}
	if len(gone) > 0 {
		a.Evidence = append(a.Evidence, "it knows "+few(gone)+", which the server no longer serves")
	}
	return []stuck.Ailment{a}
}
