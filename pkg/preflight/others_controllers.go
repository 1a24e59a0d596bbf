package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxFinalizerGroups is for how many finalizers, each of a type in a namespace, controllers are
// looked for.
const maxFinalizerGroups = 300

// lostControllers are the finalizers of objects that are not deleted whose controller is, or loses
// its permissions.
func (s otherSearch) lostControllers(ctx context.Context) ([]finalizerGroup, error) {
	s.addUnexaminedPods()
	objects, err := s.survey(ctx, s.scopes())
	if err != nil {
		return nil, err
	}
	groups := eachTypeFirst(s.byFinalizer(objects))
	if more := len(groups) - maxFinalizerGroups; more > 0 {
		first := groups[maxFinalizerGroups]
		s.present.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("whether what is deleted is the controller of %s of %s, and of %s", first.finalizer, subject(first.objects), stuck.Count(more-1, "other finalizer")),
			Error:  fmt.Sprintf("not looked for: objects that are not deleted have more than %d finalizers, by type and namespace", maxFinalizerGroups),
		})
		groups = groups[:maxFinalizerGroups]
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for i, g := range groups {
		group.Go(func() error {
			groups[i].finding = s.lostController(g.objects, g.finalizer)
			return ctx.Err()
		})
	}
	return groups, group.Wait()
}

// byFinalizer groups objects by type, namespace and finalizer. What Kubernetes itself removes is
// left out.
func (s otherSearch) byFinalizer(objects []stuck.Object) (groups []finalizerGroup) {
	type key struct {
		o         stuck.ObjectKey
		finalizer string
	}
	index := map[key]int{}
	for _, o := range objects {
		for _, finalizer := range o.Finalizers {
			k := key{stuck.Object{Type: o.Type, Namespace: o.Namespace}.Key(), finalizer}
			i, known := index[k]
			if !known {
				i = -1
				if s.mayBeWorkload(o, finalizer) {
					i, groups = len(groups), append(groups, finalizerGroup{finalizer: finalizer})
				}
				index[k] = i
			}
			if i >= 0 {
				groups[i].objects = append(groups[i].objects, o)
			}
		}
	}
	return groups
}

// eachTypeFirst puts one group of each type and finalizer before the others.
func eachTypeFirst(groups []finalizerGroup) []finalizerGroup {
	type key struct {
		typ       string
		finalizer string
	}
	var first, others []finalizerGroup
	seen := map[key]bool{}
	for _, g := range groups {
		k := key{g.objects[0].Type.String(), g.finalizer}
		if seen[k] {
			others = append(others, g)
			continue
		}
		seen[k] = true
		first = append(first, g)
	}
	return slices.Concat(first, others)
}

// mayBeWorkload reports whether a workload may remove a finalizer.
func (s otherSearch) mayBeWorkload(o stuck.Object, finalizer string) bool {
	if finalizer == finalizerLoadBalancer {
		return s.mayLoseCloudController() != ""
	}
	known := s.catalog.Lookup(finalizer, catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: s.groups})
	return controller.Controller{CatalogMatch: known}.NonWorkloadRemover() == ""
}

// scopes are the namespaces in which objects may lose their controller, or all: where no account is
// deleted that may write elsewhere, and no role, there are none.
func (s otherSearch) scopes() []string {
	accounts := map[types.NamespacedName]bool{}
	for _, w := range s.stopped {
		accounts[types.NamespacedName{Namespace: w.Namespace, Name: w.ServiceAccountName()}] = true
	}
	var out []string
	for _, o := range s.deleted.all {
		switch {
		case o.Is("", "ServiceAccount"):
			accounts[types.NamespacedName{Namespace: o.Namespace, Name: o.Name}] = true
		case o.Type.Group == "rbac.authorization.k8s.io" && o.Namespace == "":
			return []string{""}
		case o.Type.Group == "rbac.authorization.k8s.io" && !s.deleted.namespaces[o.Namespace] && !slices.Contains(out, o.Namespace):
			out = append(out, o.Namespace)
		}
	}
	for a := range accounts {
		w := cluster.Workload{Namespace: a.Namespace}
		w.PodTemplate.Spec.ServiceAccountName = a.Name
		if controller.MayWriteOutside(s.present, w, s.deleted.namespaces) {
			return []string{""}
		}
	}
	return out
}

// lostController is what becomes of objects of one type and namespace that have a finalizer. It is
// nil where a controller is left, or none is known. Where another workload may be the controller
// that is a gap.
func (s otherSearch) lostController(objects []stuck.Object, finalizer string) *stuck.Finding {
	if finalizer == finalizerLoadBalancer {
		return s.lostCloudController(objects)
	}
	found := controller.Find(s.present.Scoped(), s.catalog, objects[0], finalizer)
	if len(found.Candidates) > 0 {
		found.Candidates = slices.DeleteFunc(slices.Clone(found.Candidates), func(c controller.Candidate) bool { return !mayWorkOn(c, found) })
		if len(found.Candidates) == 0 {
			return nil
		}
	}
	findings := s.FindLost(found)
	if len(findings) == 0 {
		if w, ok := s.lostCandidate(found, len(objects) > 1); ok {
			s.present.AddGaps(stuck.Gap{
				Source: fmt.Sprintf("whether %s is the controller of %s on %s", w.RefInNamespace(), finalizer, subject(objects)),
				Error:  fmt.Sprintf("it is deleted, and %s; other workloads may be the controller too", w.Clues[0]),
			})
		} else if found.NotInstalled == nil && !slices.ContainsFunc(found.Candidates, controller.Candidate.IsNamed) {
			s.addUnknownController(objects, found)
		}
		return nil
	}
	if reason := s.mayHaveOther(found); reason != "" {
		s.present.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("whether a controller of %s on %s is left when %s is deleted", finalizer, subject(objects), findings[0].BlockedBy), Error: reason,
		})
		return nil
	}
	f := findings[0]
	inNamespace, everywhere := found.Object.TypeInNamespace(), found.Object.Type.String()
	f.Message = strings.ReplaceAll(nowDeleted(f.Message), inNamespace, everywhere)
	f.Evidence = slices.Clone(f.Evidence)
	for i, line := range f.Evidence {
		f.Evidence[i] = strings.ReplaceAll(line, inNamespace, everywhere)
	}
	f.Explains = []string{finalizer}
	f.Steps = laterSteps(objects[0], "keep their controller")
	return &f
}

// lostCloudController is what becomes of Services whose load balancers a cloud-controller-manager deletes. Where it is not known
// to be what is deleted, that is a gap.
func (s otherSearch) lostCloudController(services []stuck.Object) *stuck.Finding {
	if w, stops := s.stoppedCloudController(); stops {
		return &stuck.Finding{
			Cause: cause.ServiceLoadBalancerNotReleased.ID, BlockedBy: w.Culprit(), Certainty: stuck.Likely, Verdict: stuck.Blocked, Explains: []string{finalizerLoadBalancer},
			Message: w.RefInNamespace() + ", which deletes load balancers, is deleted", Steps: laterSteps(services[0], "keep it"),
		}
	}
	s.present.AddGaps(stuck.Gap{
		Source: fmt.Sprintf("whether the controller of %s on %s is left", finalizerLoadBalancer, subject(services)), Error: s.mayLoseCloudController(),
	})
	return nil
}

// lostCandidate is a workload that is deleted and may be the controller: as likely as one that is left or, of objects like
// the one that was looked at, less likely.
func (s otherSearch) lostCandidate(found controller.Controller, isOneOfMany bool) (controller.Candidate, bool) {
	all := slices.Clone(found.Candidates)
	if isOneOfMany {
		all = append(all, found.LesserCandidates...)
	}
	i := slices.IndexFunc(all, func(c controller.Candidate) bool { return mayWorkOn(c, found) && s.isLost(c, found) })
	if i < 0 {
		return controller.Candidate{}, false
	}
	return all[i], true
}

// addUnknownController adds a gap for a finalizer whose controller is not known, and may be a deleted workload.
func (s otherSearch) addUnknownController(objects []stuck.Object, found controller.Controller) {
	for _, w := range s.stopped {
		for _, verb := range []string{"update", "patch"} {
			if allowed, _ := controller.AccountMay(s.present, w.Namespace, w.ServiceAccountName(), found.Object, verb); allowed {
				s.present.AddGaps(stuck.Gap{
					Source: fmt.Sprintf("whether %s is the controller of %s on %s", w.RefInNamespace(), found.Finalizer, subject(objects)),
					Error:  fmt.Sprintf("it is deleted, and may %s them; no clue names the controller", verb),
				})
				return
			}
		}
	}
}

// mayWorkOn reports whether a workload was not told to work in other namespaces.
func mayWorkOn(c controller.Candidate, found controller.Controller) bool {
	scope := controller.WatchScopeOf(c.Workload, found)
	return scope == nil || found.Object.Namespace == "" || scope.Contains(found.Object.Namespace)
}

// mayHaveOther is why something that is not deleted may be the controller, empty where nothing
// speaks for it.
func (s otherSearch) mayHaveOther(found controller.Controller) string {
	if !found.Complete {
		return "not all controllers could be looked for"
	}
	if !slices.ContainsFunc(found.Candidates, controller.Candidate.IsNamed) {
		return found.Candidates[0].RefInNamespace() + " merely " + found.Candidates[0].Clues[0]
	}
	for _, c := range found.LesserCandidates {
		if !s.isLost(c, found) && mayWorkOn(c, found) && controller.CheckHealth(s.present, c.Workload).Alive != stuck.NotRunning {
			return fmt.Sprintf("%s runs, and %s", c.RefInNamespace(), c.Clues[0])
		}
	}
	for _, actor := range found.OtherActors {
		if actor.NotExaminable {
			return actor.Description + " may be one"
		}
	}
	return ""
}
