package preflight

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Other is what a deletion does to objects that are not deleted with it: they exist as before, and
// get stuck when they are deleted later.
type Other struct {
	stuck.Finding
	// Objects counts the objects by type, most first, and Namespaces are theirs.
	Objects    []stuck.Tally
	Namespaces []string
	// BackendNamespace is the namespace of the Service behind which nothing is left, where that is what they lose.
	BackendNamespace string
}

// maxOtherTypes is how many types of objects a line names.
const maxOtherTypes = 5

// Subject counts the objects: "3 widgets.example.com in 2 namespaces".
func (o Other) Subject() string {
	var types []string
	for _, tally := range o.Objects {
		types = append(types, tally.String())
	}
	text := stuck.JoinFirst(types, maxOtherTypes)
	switch len(o.Namespaces) {
	case 0:
		return text
	case 1:
		return text + stuck.InNamespace(o.Namespaces[0])
	}
	return fmt.Sprintf("%s in %d namespaces", text, len(o.Namespaces))
}

// FindOthers is the part of Run that is about objects which are not deleted. Nothing is tried, and what could not be read
// is a gap.
func FindOthers(ctx context.Context, o Options) ([]Other, []stuck.Gap, error) {
	scopes := scopesOf(o.Selected)
	if len(scopes) > 1 {
		scopes = []string{""} // one list of each type, and none in each namespace
	}
	d, err := expand(ctx, o.Source, o.Types, o.Selected, scopes)
	if err != nil {
		return nil, nil, err
	}
	for _, survey := range d.surveys {
		o.View.AddGaps(survey.Gaps...)
	}
	after := newAfter(o.Source, d, nil, nil)
	later := o.laterView(ctx, after, d)
	found, err := o.findOthers(ctx, &foresight{present: o.View, later: later, after: after, deleted: d, stopped: stoppedWorkloads(o.View, d, after)})
	gaps := slices.DeleteFunc(mergeGaps(o.View.AllGaps(), later.AllGaps()), func(gap stuck.Gap) bool { return gap.ProbeSkipped })
	return found, gaps, err
}

func (o Options) findOthers(ctx context.Context, f *foresight) ([]Other, error) {
	search := otherSearch{
		foresight: f, source: o.Source, types: o.Types, catalog: o.Catalog, groups: o.View.APIGroups(), emptied: o.laterView(ctx, f.after.emptied(), f.deleted),
	}
	return search.find(ctx)
}

// Count is how many objects there are.
func (o Other) Count() (n int) {
	for _, tally := range o.Objects {
		n += tally.Objects
	}
	return n
}

// otherSearch looks for objects that are not deleted and lose what they need to be deleted.
type otherSearch struct {
	*foresight
	source  cluster.Source
	types   []stuck.Type
	catalog *catalog.Catalog
	// groups are the API groups that are served.
	groups []string
	// emptied is a view of the cluster without anything that is deleted, even what has finalizers.
	emptied *cluster.View
}

// find returns what is found, that of most objects first. The error is that of a canceled context.
func (s otherSearch) find(ctx context.Context) ([]Other, error) {
	controllers, err := s.lostControllers(ctx)
	if err != nil {
		return nil, err
	}
	needs, err := s.lostNeeds(ctx)
	if err != nil {
		return nil, err
	}
	backends, err := s.lostBackends(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Concat(mergeOthers(slices.Concat(controllers, needs)), backends, s.lostDrivers())
	slices.SortStableFunc(out, func(a, b Other) int { return cmp.Or(b.Count()-a.Count(), cmp.Compare(a.Message, b.Message)) })
	return out, nil
}

// newOther is what a finding says of objects.
func newOther(f stuck.Finding, objects []stuck.Object) Other {
	counts, namespaces := map[stuck.Tally]int{}, map[string]bool{}
	for _, o := range objects {
		counts[stuck.Tally{Name: o.Type.String(), Singular: o.Type.Singular()}]++
		namespaces[o.Namespace] = true
	}
	delete(namespaces, "")
	return Other{Finding: f, Objects: sortedTallies(counts), Namespaces: slices.Sorted(maps.Keys(namespaces))}
}

// sortedTallies are counts in order, the highest first.
func sortedTallies(counts map[stuck.Tally]int) []stuck.Tally {
	var out []stuck.Tally
	for tally, n := range counts {
		tally.Objects = n
		out = append(out, tally)
	}
	slices.SortFunc(out, func(a, b stuck.Tally) int { return cmp.Or(b.Objects-a.Objects, cmp.Compare(a.Name, b.Name)) })
	return out
}

// finalizerGroup is the objects of a type and a namespace that have a finalizer, and what is found
// of its controller.
type finalizerGroup struct {
	finalizer string
	objects   []stuck.Object
	finding   *stuck.Finding
}

// mergeOthers puts together the groups of which the same is found. An object with two such
// finalizers counts once.
func mergeOthers(groups []finalizerGroup) []Other {
	found := slices.DeleteFunc(slices.Clone(groups), func(g finalizerGroup) bool { return g.finding == nil })
	var out []Other
	for _, same := range stuck.GroupBy(found, func(g finalizerGroup) string { return g.finding.Cause + " " + g.finding.Message }) {
		var objects []stuck.Object
		for _, g := range same {
			objects = append(objects, g.objects...)
		}
		slices.SortFunc(objects, stuck.Compare)
		f := *same[0].finding
		f.Steps = slices.Clone(f.Steps)
		for i := range f.Steps {
			if f.Steps[i].Action == stuck.ActionCheck {
				f.Steps[i].Command = listCommand(objects)
			}
		}
		out = append(out, newOther(f, slices.CompactFunc(objects, func(a, b stuck.Object) bool { return a.UID == b.UID })))
	}
	return out
}

// survey reads the objects with finalizers that are not deleted, of all namespaces or of some.
func (s otherSearch) survey(ctx context.Context, namespaces []string) ([]stuck.Object, error) {
	var out []stuck.Object
	for _, namespace := range namespaces {
		survey := s.deleted.surveys[""]
		if survey == nil {
			read, err := cluster.SurveyRequest{
				Types: cluster.SurveyedTypes(s.types, namespace), Selection: cluster.Selection{Namespace: namespace},
				Keep: func(o stuck.Object) bool { return len(o.Finalizers) > 0 },
			}.Run(ctx, s.source)
			if err != nil {
				return nil, err
			}
			survey = &read
			s.present.AddGaps(read.Gaps...)
		}
		for _, o := range survey.Objects {
			if len(o.Finalizers) > 0 && !s.deleted.uids[o.UID] && (namespace == "" || o.Namespace == namespace) {
				out = append(out, o)
			}
		}
	}
	return out, nil
}

// nowDeleted says of a finding about what is deleted with an object that it is deleted.
func nowDeleted(text string) string { return strings.ReplaceAll(text, "is deleted too", "is deleted") }

// subject is objects of a type in a namespace: "3 widgets.example.com -n shop".
func subject(objects []stuck.Object) string {
	return fmt.Sprint(stuck.TallyOf(objects), stuck.InNamespace(objects[0].Namespace))
}

// laterSteps are to delete objects like one before what they need, or to keep that.
func laterSteps(o stuck.Object, keep string) []stuck.Step {
	return []stuck.Step{
		{Action: stuck.ActionCheck, Description: "see which of them are no longer needed", Command: listCommand([]stuck.Object{o})},
		{Action: stuck.ActionDelete, Description: "delete these first, and wait until they no longer exist; if others are needed, " + keep},
	}
}

// listCommand lists the types of objects.
func listCommand(objects []stuck.Object) string {
	var types []string
	all := ""
	for _, o := range objects {
		if name := o.Type.String(); !slices.Contains(types, name) {
			types = append(types, name)
		}
		if o.Type.Namespaced {
			all = " -A"
		}
	}
	return stuck.Shellf("kubectl get %s", strings.Join(types, ",")) + all
}
