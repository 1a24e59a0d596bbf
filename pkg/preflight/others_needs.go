package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxNeedingObjects is of how many objects it is read what they need.
const maxNeedingObjects = 300

// lostNeeds are the objects that are not deleted while something is without which their controllers cannot finish:
// credentials, a configuration or a class, as the catalog knows.
func (s otherSearch) lostNeeds(ctx context.Context) ([]finalizerGroup, error) {
	objects, err := s.survey(ctx, s.needScopes())
	if err != nil {
		return nil, err
	}
	elsewhere, err := s.needingElsewhere(ctx)
	if err != nil {
		return nil, err
	}
	objects = append(objects, slices.DeleteFunc(elsewhere, func(o stuck.Object) bool {
		return slices.ContainsFunc(objects, func(known stuck.Object) bool { return known.UID == o.UID })
	})...)
	objects = slices.DeleteFunc(objects, func(o stuck.Object) bool { return !s.mayNeed(o) })
	if more := len(objects) - maxNeedingObjects; more > 0 {
		s.present.AddGaps(stuck.Gap{
			Source: "what is needed for the deletion of " + stuck.Count(more, "object") + ", such as " + objects[maxNeedingObjects].RefInNamespace(),
			Error:  fmt.Sprintf("not read: that of %d others was", maxNeedingObjects),
		})
		objects = objects[:maxNeedingObjects]
	}
	found := make([][]finalizerGroup, len(objects))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cluster.MaxConcurrentRequests)
	for i, o := range objects {
		group.Go(func() error {
			found[i] = s.needsOf(ctx, o)
			return ctx.Err()
		})
	}
	err = group.Wait()
	s.present.AddGaps(s.emptied.AllGaps()...)
	return slices.Concat(found...), err
}

// needScopes are the namespaces of deleted objects that others in the namespace may name, or the whole cluster for
// those without a namespace, and where it is read in any case.
func (s otherSearch) needScopes() []string {
	var out []string
	for _, o := range s.deleted.all {
		switch {
		case !s.mayBeNeeded(o):
		case o.Namespace == "" || s.deleted.surveys[""] != nil:
			return []string{""}
		case !s.deleted.namespaces[o.Namespace] && !slices.Contains(out, o.Namespace):
			out = append(out, o.Namespace)
		}
	}
	return out
}

// mayBeNeeded reports whether an object is deleted, and of a type that others may name.
func (s otherSearch) mayBeNeeded(o stuck.Object) bool {
	isNameable := !stuck.IsBuiltInGroup(o.Type.Group) || o.Type.IsSecret() || o.Type.Resource == "configmaps" || strings.HasSuffix(o.Type.Resource, "classes")
	return isNameable && (s.after.gone[o.UID] || s.after.deleting[o.UID])
}

// needingElsewhere are the objects, of the whole cluster, of the types that may name something of another namespace.
func (s otherSearch) needingElsewhere(ctx context.Context) ([]stuck.Object, error) {
	if s.deleted.surveys[""] != nil {
		return nil, nil // all objects are looked at
	}
	var needed []catalog.Subject
	for _, sameType := range stuck.GroupBy(s.deleted.all, func(o stuck.Object) string { return o.Type.String() }) {
		if t := sameType[0].Type; t.Namespaced && slices.ContainsFunc(sameType, s.mayBeNeeded) {
			needed = append(needed, catalog.Subject{Kind: t.Kind, Group: t.Group})
		}
	}
	if len(needed) == 0 {
		return nil, nil
	}
	survey, err := cluster.SurveyRequest{
		Types: s.typesNeeding(needed), Keep: func(o stuck.Object) bool { return len(o.Finalizers) > 0 && !s.deleted.uids[o.UID] },
	}.Run(ctx, s.source)
	s.present.AddGaps(survey.Gaps...)
	return survey.Objects, err
}

// typesNeeding are the types whose objects may need something of some types, and have fields for its namespace or have none
// themselves, as the catalog knows.
func (s otherSearch) typesNeeding(needed []catalog.Subject) []stuck.Type {
	entries := slices.DeleteFunc(s.catalog.Entries(), func(e catalog.Entry) bool { return len(e.Needs) == 0 })
	return slices.DeleteFunc(cluster.SurveyedTypes(s.types, ""), func(t stuck.Type) bool {
		needs := func(n catalog.Need) bool {
			return (n.Namespace != "" || !t.Namespaced) && slices.ContainsFunc(n.Types, func(of catalog.Type) bool { return slices.ContainsFunc(needed, of.Matches) })
		}
		return !slices.ContainsFunc(entries, func(e catalog.Entry) bool {
			hasType := slices.ContainsFunc(e.Types, func(of catalog.Type) bool { return of.Matches(catalog.Subject{Kind: t.Kind, Group: t.Group}) })
			return hasType && slices.ContainsFunc(e.Needs, needs)
		})
	})
}

// mayNeed reports whether the catalog says what the controllers of the finalizers of an object need.
func (s otherSearch) mayNeed(o stuck.Object) bool {
	subject := catalog.Subject{Kind: o.Type.Kind, Group: o.Type.Group, Resource: o.Type.Resource, Groups: s.groups}
	return slices.ContainsFunc(o.Finalizers, func(finalizer string) bool {
		return slices.ContainsFunc(s.catalog.Lookup(finalizer, subject).Entries, func(e catalog.Entry) bool { return len(e.Needs)+len(e.Class) > 0 })
	})
}

// needsOf are the finalizers of an object whose controllers cannot finish after the deletion, and can now. What has finalizers
// of its own may be kept by them for as long as it is needed, which is a gap.
func (s otherSearch) needsOf(ctx context.Context, o stuck.Object) []finalizerGroup {
	now := diagnose.FindMissing(ctx, s.present.Scoped(), s.catalog, o)
	var out []finalizerGroup
	for _, f := range diagnose.FindMissing(ctx, s.emptied.Scoped(), s.catalog, o) {
		isNow := slices.ContainsFunc(now, func(other stuck.Finding) bool { return other.Message == f.Message })
		switch {
		case isNow, s.isRecreated(f.BlockedBy):
		case slices.ContainsFunc(s.deleted.all, func(d stuck.Object) bool { return f.BlockedBy.Names(d) && s.after.deleting[d.UID] }):
			s.present.AddGaps(stuck.Gap{
				Source: fmt.Sprintf("whether %s exists for as long as %s needs it", f.BlockedBy, o.RefInNamespace()),
				Error:  "it is deleted when its finalizers are removed, and whether their controllers wait is not known",
			})
		default:
			out = append(out, finalizerGroup{objects: []stuck.Object{o}, finding: lostNeed(f, o)})
		}
	}
	return out
}

// isRecreated reports whether what is deleted has a controller that is not, and that recreates it.
func (s otherSearch) isRecreated(culprit stuck.Culprit) bool {
	return slices.ContainsFunc(s.deleted.all, func(o stuck.Object) bool {
		return culprit.Names(o) && slices.ContainsFunc(o.Owners, func(ref stuck.OwnerReference) bool { return ref.Controller && !s.deleted.uids[ref.UID] })
	})
}

// lostNeed is a finding about something that exists now.
func lostNeed(f stuck.Finding, o stuck.Object) *stuck.Finding {
	f.Certainty, f.Evidence = stuck.Likely, slices.Clone(f.Evidence)
	f.Message = strings.ReplaceAll(f.Message, "does not exist", "is deleted")
	for i, line := range f.Evidence {
		f.Evidence[i] = strings.ReplaceAll(line, "does not exist", "is deleted")
	}
	f.Steps = laterSteps(o, "keep "+f.BlockedBy.String())
	return &f
}
