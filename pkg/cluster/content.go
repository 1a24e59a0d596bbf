package cluster

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Content is what a namespace still holds.
type Content struct {
	// Deleting are its objects that are being deleted.
	Deleting []stuck.Object
	// Left counts its objects that nobody has tried to delete yet.
	Left map[Kind]int
	// Failed are the types that could not be listed in it.
	Failed []Failure
	// Complete says that every type could be listed.
	Complete bool
}

// Content surveys a namespace that is being deleted.
func (v *View) Content(namespace string) Content {
	survey := v.survey(namespace)
	content := Content{
		Left: map[Kind]int{}, Failed: survey.Failed,
		Complete: len(survey.Gaps) == 0 && len(v.shared.discovery) == 0,
	}
	for place, n := range survey.Left {
		if place.Namespace == namespace {
			content.Left[place.Kind] = n
		}
	}
	for _, o := range survey.Kept {
		switch {
		case o.Namespace != namespace:
		case o.Deleting():
			content.Deleting = append(content.Deleting, o)
		default:
			// A command that lists more than what is being deleted kept it.
			content.Left[KindOf(o.Type)]++
		}
	}
	v.Note(slices.Concat(v.shared.discovery, survey.Gaps)...)
	return content
}

// survey covers a namespace. What a survey of the whole cluster has seen of it
// counts; what that could not list may yet be listed in the namespace alone.
func (v *View) survey(namespace string) Survey {
	pass := Pass{
		Types:     Surveyed(v.shared.types, namespace),
		Selection: Selection{Namespace: namespace},
		Keep:      stuck.Object.Deleting,
		Count:     func(string) bool { return true },
	}
	if known := v.shared.known[namespace]; known != nil {
		return *known
	}
	whole := v.shared.known[""]
	if whole == nil {
		return v.run("content "+namespace, pass)
	}
	pass.Types = nil
	for _, failure := range whole.Failed {
		if failure.Type.Namespaced {
			pass.Types = append(pass.Types, failure.Type)
		}
	}
	rest := v.run("content "+namespace, pass)
	rest.Gaps = nil
	for _, failure := range rest.Failed {
		// What is refused here as it is everywhere needs saying once.
		gap := listGap(failure.Type, "", failure.Err)
		if !slices.ContainsFunc(whole.Gaps, func(g stuck.Gap) bool { return g.Source == gap.Source && g.Error == gap.Error }) {
			gap = listGap(failure.Type, namespace, failure.Err)
		}
		rest.Gaps = append(rest.Gaps, gap)
	}
	// What the whole survey saw of a type before it failed is seen again.
	again := func(o stuck.Object) bool {
		return rest.read(pass.Types, o.Type)
	}
	rest.Kept = slices.Concat(slices.DeleteFunc(slices.Clone(whole.Kept), again), rest.Kept)
	left := maps.Clone(whole.Left)
	maps.Copy(left, rest.Left)
	rest.Left = left
	return rest
}

// InstancesOf reads the metadata of every object of the type that a
// CustomResourceDefinition of this name defines, or says why it could not.
func (v *View) InstancesOf(crd string) (Many[stuck.Object], []Failure) {
	t, ok := v.find(func(t stuck.Type) bool { return t.String() == crd })
	if !ok {
		v.Note(stuck.Gap{Source: crd, Error: "not served, so its objects cannot be listed"})
		return Many[stuck.Object]{}, nil
	}
	survey := v.pass("instances "+crd, Pass{Types: []stuck.Type{t}, Keep: func(stuck.Object) bool { return true }})
	return many(survey), survey.Failed
}

// Dependents are the objects that name the object, by its uid, as an owner.
// Those of a namespaced owner live in its namespace; those of a cluster-scoped
// one may be anywhere.
func (v *View) Dependents(owner stuck.Object) Many[stuck.Object] {
	of := map[types.UID]bool{owner.UID: true}
	key := "dependents " + string(owner.UID)
	if together := v.foreground(owner.Namespace); together[owner.UID] {
		of, key = together, "dependents in "+owner.Namespace
	}
	all := many(v.pass(key, Pass{
		Types:     Surveyed(v.shared.types, owner.Namespace),
		Selection: Selection{Namespace: owner.Namespace},
		Keep: func(o stuck.Object) bool {
			return slices.ContainsFunc(o.Owners, func(w stuck.Reference) bool { return of[w.UID] })
		},
	}))
	all.Items = slices.DeleteFunc(all.Items, func(o stuck.Object) bool {
		return !slices.ContainsFunc(o.Owners, func(w stuck.Reference) bool { return w.UID == owner.UID })
	})
	// A group that was not discovered may hold dependents too.
	all.Complete = all.Complete && len(v.shared.discovery) == 0
	v.Note(v.shared.discovery...)
	return all
}

// foreground are the objects of a namespace that are known to wait for their
// dependents: one pass looks for those of all of them.
func (v *View) foreground(namespace string) map[types.UID]bool {
	return once(v, "foreground "+namespace, func() map[types.UID]bool {
		of := map[types.UID]bool{}
		for _, o := range v.deleting(namespace) {
			if o.HasFinalizer(metav1.FinalizerDeleteDependents) {
				of[o.UID] = true
			}
		}
		return of
	})
}

// pass runs a survey and notes what it could not read.
func (v *View) pass(key string, pass Pass) Survey {
	survey := v.run(key, pass)
	v.Note(survey.Gaps...)
	return survey
}

// run runs a survey once. One that is cut short is all gap.
func (v *View) run(key string, pass Pass) Survey {
	return once(v, key, func() Survey {
		survey, err := pass.Run(v.ctx, v.shared.source)
		if err != nil {
			survey.Gaps = []stuck.Gap{{Source: key, Error: Reason(err)}}
		}
		return survey
	})
}

func many(s Survey) Many[stuck.Object] {
	return Many[stuck.Object]{Items: slices.Clone(s.Kept), Complete: len(s.Gaps) == 0}
}

// Metadata reads the metadata of one object, which is all that is ever read of
// a Secret.
func (v *View) Metadata(t stuck.Type, namespace, name string) One[metav1.PartialObjectMetadata] {
	type answer = One[metav1.PartialObjectMetadata]
	return ask(v, "metadata "+t.String()+" "+namespace+"/"+name, func() (answer, []stuck.Gap) {
		m, err := v.shared.source.Metadata(v.ctx, t, namespace, name)
		if Absent(err) {
			return answer{absent: true}, nil
		}
		if err != nil {
			return answer{}, []stuck.Gap{getGap(t, namespace, name, err)}
		}
		return answer{Value: m}, nil
	})
}

// MetadataOf reads the metadata of an object that is asked about. A Pod is read
// whole for other reasons, and not a second time for this one.
func (v *View) MetadataOf(o stuck.Object) One[metav1.PartialObjectMetadata] {
	if o.Type.GVR() != pods.GVR() {
		return v.Metadata(o.Type, o.Namespace, o.Name)
	}
	pod := v.Pod(o.Namespace, o.Name)
	if !pod.Found() {
		return One[metav1.PartialObjectMetadata]{absent: pod.Absent()}
	}
	return One[metav1.PartialObjectMetadata]{Value: &metav1.PartialObjectMetadata{ObjectMeta: pod.Value.ObjectMeta}}
}
