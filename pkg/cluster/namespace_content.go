package cluster

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// NamespaceContent is what a namespace still holds.
type NamespaceContent struct {
	// Deleting are its objects that are being deleted.
	Deleting []stuck.Object
	// NotDeleted counts its objects that nobody has tried to delete yet.
	NotDeleted map[TypeName]int
	// Failed are the types that could not be listed in it.
	Failed []ListFailure
	// Complete says that every type could be listed.
	Complete bool
}

// NamespaceContent surveys a namespace that is being deleted.
func (v *View) NamespaceContent(namespace string) NamespaceContent {
	survey := v.namespaceSurvey(namespace)
	survey.Gaps = slices.Concat(survey.Gaps, v.contradictedGaps(namespace, survey.Unserved))
	content := NamespaceContent{
		NotDeleted: map[TypeName]int{}, Failed: survey.Failed,
		Complete: len(survey.Gaps) == 0 && len(v.shared.discoveryGaps) == 0,
	}
	for key, n := range survey.NotDeleted {
		if key.Namespace == namespace {
			content.NotDeleted[key.Type] = n
		}
	}
	for _, o := range survey.Objects {
		switch {
		case o.Namespace != namespace:
		case o.Deleting():
			content.Deleting = append(content.Deleting, o)
		default:
			// A command that lists more than what is being deleted kept it.
			content.NotDeleted[TypeNameOf(o.Type)]++
		}
	}
	v.AddGaps(slices.Concat(v.shared.discoveryGaps, survey.Gaps)...)
	return content
}

// contradictedGaps are the gaps of types that seem to be served no more, and of which the
// namespace controller still counts objects. It reads through no gateway.
func (v *View) contradictedGaps(namespace string, unserved []stuck.Type) []stuck.Gap {
	if len(unserved) == 0 {
		return nil
	}
	ns := v.Namespace(namespace)
	if !ns.Found() {
		return nil
	}
	var gaps []stuck.Gap
	remaining := apitext.ParseNamespaceConditions(ns.Value.Status.Conditions).Remaining
	for _, t := range unserved {
		if n := remaining[t.GVR().GroupResource()]; n > 0 {
			gaps = append(gaps, stuck.Gap{
				Source: t.String() + stuck.InNamespace(namespace),
				Error:  fmt.Sprintf("not found, but condition %s of the namespace counts %d", corev1.NamespaceContentRemaining, n),
			})
		}
	}
	return gaps
}

// namespaceSurvey covers a namespace. What a survey of the whole cluster has seen of it
// counts; what that could not list may yet be listed in the namespace alone.
func (v *View) namespaceSurvey(namespace string) Survey {
	request := SurveyRequest{
		Types:     SurveyedTypes(v.shared.types, namespace),
		Selection: Selection{Namespace: namespace},
		Keep:      stuck.Object.Deleting,
		Count:     func(string) bool { return true },
	}
	if survey := v.options.surveys[namespace]; survey != nil {
		return *survey
	}
	clusterSurvey := v.options.surveys[""]
	if clusterSurvey == nil {
		return v.surveyOnce("content "+namespace, request)
	}
	request.Types = nil
	for _, failure := range clusterSurvey.Failed {
		if failure.Type.Namespaced {
			request.Types = append(request.Types, failure.Type)
		}
	}
	remaining := v.surveyOnce("content that the survey of the cluster lacks in "+namespace, request)
	remaining.Gaps, remaining.Unserved = nil, slices.Concat(clusterSurvey.Unserved, remaining.Unserved)
	for _, failure := range remaining.Failed {
		// What is refused here as it is everywhere needs saying once.
		gap := listGap(failure.Type, "", failure.Err)
		if !slices.ContainsFunc(clusterSurvey.Gaps, func(g stuck.Gap) bool { return g.Source == gap.Source && g.Error == gap.Error }) {
			gap = listGap(failure.Type, namespace, failure.Err)
		}
		remaining.Gaps = append(remaining.Gaps, gap)
	}
	remaining.addSeenBefore(clusterSurvey, request.Types)
	return remaining
}

// addSeenBefore adds what the survey of the cluster has seen. What that saw of a type before it failed
// is mostly seen again, by a list of the namespace that fails too: it counts once.
func (s *Survey) addSeenBefore(clusterSurvey *Survey, rescanned []stuck.Type) {
	again := map[stuck.ObjectKey]bool{}
	for _, o := range s.Objects {
		again[o.Key()] = true
	}
	isSeenAgain := func(o stuck.Object) bool {
		isCounted := !o.Deleting() && s.NotDeleted[NamespacedType{o.Namespace, TypeNameOf(o.Type)}] > 0
		return s.hasRead(rescanned, o.Type) || again[o.Key()] || isCounted
	}
	s.Objects = slices.Concat(slices.DeleteFunc(slices.Clone(clusterSurvey.Objects), isSeenAgain), s.Objects)
	left := maps.Clone(clusterSurvey.NotDeleted)
	for key, n := range s.NotDeleted {
		left[key] = max(left[key], n)
	}
	s.NotDeleted = left
}

// CustomResources reads the metadata of every object of the type that a
// CustomResourceDefinition of this name defines, or says why it could not.
func (v *View) CustomResources(crd string) (List[stuck.Object], []ListFailure) {
	t, ok := v.findType(func(t stuck.Type) bool { return t.String() == crd })
	if !ok {
		v.AddGaps(stuck.Gap{Source: crd, Error: "not served, so its objects cannot be listed"})
		return List[stuck.Object]{}, nil
	}
	survey := v.survey("instances "+crd, SurveyRequest{Types: []stuck.Type{t}, Keep: func(stuck.Object) bool { return true }})
	return objectsOf(survey), survey.Failed
}

// Dependents are the objects that name the object, by its uid, as an owner.
// Those of a namespaced owner are in its namespace; those of a cluster-scoped
// one may be anywhere.
func (v *View) Dependents(owner stuck.Object) List[stuck.Object] {
	uids := map[types.UID]bool{owner.UID: true}
	key := "dependents " + string(owner.UID)
	if foregroundUIDs := v.foregroundOwners(owner.Namespace); foregroundUIDs[owner.UID] {
		uids, key = foregroundUIDs, "dependents in "+owner.Namespace
	}
	all := objectsOf(v.survey(key, SurveyRequest{
		Types:     SurveyedTypes(v.shared.types, owner.Namespace),
		Selection: Selection{Namespace: owner.Namespace},
		Keep: func(o stuck.Object) bool {
			return slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool { return uids[w.UID] })
		},
	}))
	all.Items = slices.DeleteFunc(all.Items, func(o stuck.Object) bool {
		return !slices.ContainsFunc(o.Owners, func(w stuck.OwnerReference) bool { return w.UID == owner.UID })
	})
	// A group that was not discovered may hold dependents too.
	all.Complete = all.Complete && len(v.shared.discoveryGaps) == 0
	v.AddGaps(v.shared.discoveryGaps...)
	return all
}

// foregroundOwners are the objects of a namespace that are known to wait for their
// dependents: one pass looks for those of all of them.
func (v *View) foregroundOwners(namespace string) map[types.UID]bool {
	return memoize(v, "foreground "+namespace, func() map[types.UID]bool {
		uids := map[types.UID]bool{}
		for _, o := range v.deletingIn(namespace) {
			if o.HasFinalizer(metav1.FinalizerDeleteDependents) {
				uids[o.UID] = true
			}
		}
		return uids
	})
}

// survey runs a survey and notes what it could not read.
func (v *View) survey(key string, request SurveyRequest) Survey {
	survey := v.surveyOnce(key, request)
	v.AddGaps(survey.Gaps...)
	return survey
}

// surveyOnce runs a survey once. One that is cut short is all gap.
func (v *View) surveyOnce(key string, request SurveyRequest) Survey {
	return memoize(v, key, func() Survey {
		survey, err := request.Run(v.ctx, v.shared.source)
		if err != nil {
			survey.Gaps = []stuck.Gap{{Source: key, Error: apitext.ErrorMessage(err)}}
		}
		return survey
	})
}

func objectsOf(s Survey) List[stuck.Object] {
	return List[stuck.Object]{Items: slices.Clone(s.Objects), Complete: len(s.Gaps) == 0}
}

// Metadata reads the metadata of one object, which is all that is ever read of
// a Secret.
func (v *View) Metadata(t stuck.Type, namespace, name string) Answer[metav1.PartialObjectMetadata] {
	type answer = Answer[metav1.PartialObjectMetadata]
	return memoizeWithGaps(v, "metadata "+t.String()+" "+namespace+"/"+name, func() (answer, []stuck.Gap) {
		m, err := v.shared.source.Metadata(v.ctx, t, namespace, name)
		if IsObjectNotFound(err) {
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
func (v *View) MetadataOf(o stuck.Object) Answer[metav1.PartialObjectMetadata] {
	if o.Type.GVR() != PodType.GVR() {
		if listed, ok := v.listedMetadata(o); ok {
			return Answer[metav1.PartialObjectMetadata]{Value: listed}
		}
		return v.Metadata(o.Type, o.Namespace, o.Name)
	}
	pod := v.Pod(o.Namespace, o.Name)
	if !pod.Found() {
		return Answer[metav1.PartialObjectMetadata]{absent: pod.Absent()}
	}
	return Answer[metav1.PartialObjectMetadata]{Value: &metav1.PartialObjectMetadata{ObjectMeta: pod.Value.ObjectMeta}}
}

// UnlistableTypes are the types that cannot be listed in the whole cluster, which
// costs a look at all of it unless the command has had one.
func (v *View) UnlistableTypes() []ListFailure {
	if survey := v.options.surveys[""]; survey != nil {
		return survey.Failed
	}
	return v.survey("types that cannot be listed", SurveyRequest{
		Types: SurveyedTypes(v.shared.types, ""), Keep: func(stuck.Object) bool { return false },
	}).Failed
}
