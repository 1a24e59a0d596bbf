package preflight

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxScopes is how many namespaces are surveyed one by one before the whole cluster is.
const maxScopes = 10

// deleted is everything that a deletion covers.
type deleted struct {
	selected []stuck.Object
	// all are the selected objects and what is deleted with them, each once.
	all []stuck.Object
	// uids are those of all.
	uids map[types.UID]bool
	// surveys are those that were made, by namespace; that of the whole cluster has none.
	surveys map[string]*cluster.Survey
	// namespaces and definitions are the names of the selected Namespaces and
	// CustomResourceDefinitions.
	namespaces, definitions map[string]bool
}

// newDeleted is a deletion of some objects, and of nothing with them.
func newDeleted(selected []stuck.Object) *deleted {
	d := &deleted{
		selected: selected, all: slices.Clone(selected), uids: map[types.UID]bool{}, surveys: map[string]*cluster.Survey{},
		namespaces: map[string]bool{}, definitions: map[string]bool{},
	}
	for _, o := range selected {
		d.uids[o.UID] = true
		switch {
		case o.IsNamespace():
			d.namespaces[o.Name] = true
		case isDefinition(o):
			d.definitions[o.Name] = true
		}
	}
	return d
}

// expand finds what is deleted with some objects: the content of namespaces, the objects of
// CustomResourceDefinitions, and the dependents all of whose owners are deleted. What could not
// be listed is in the gaps of the surveys. The scopes are those of scopesOf, or the whole cluster.
func expand(ctx context.Context, source cluster.Source, served []stuck.Type, selected []stuck.Object, scopes []string) (*deleted, error) {
	d := newDeleted(selected)
	isContent := func(o stuck.Object) bool {
		// Events without finalizers are many, and hold nothing up.
		isPassing := o.Type.IsEvent() && len(o.Finalizers) == 0
		return !isPassing && (d.namespaces[o.Namespace] || d.definitions[o.Type.String()])
	}
	for _, scope := range scopes {
		survey, err := cluster.SurveyRequest{
			Types: cluster.SurveyedTypes(served, scope), Selection: cluster.Selection{Namespace: scope},
			Keep: func(o stuck.Object) bool {
				return len(o.Owners) > 0 || isContent(o) || scope == "" && len(o.Finalizers) > 0
			},
		}.Run(ctx, source)
		if err != nil {
			return nil, err
		}
		d.surveys[scope] = &survey
		for _, o := range survey.Objects {
			if isContent(o) {
				d.add(o)
			}
		}
	}
	d.addDependents()
	return d, nil
}

// scopesOf are the namespaces to be looked at, or the whole cluster: an object without a
// namespace has its dependents anywhere.
func scopesOf(selected []stuck.Object) []string {
	var scopes []string
	for _, o := range selected {
		scope := o.Namespace
		if o.IsNamespace() {
			scope = o.Name
		}
		if scope == "" && !hasDependents(o) {
			continue
		}
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	if len(scopes) > maxScopes || slices.Contains(scopes, "") {
		return []string{""}
	}
	return scopes
}

// hasDependents reports whether an object of the whole cluster may be the owner of others.
// Those of RBAC and of admission never are, and many are deleted with a release.
func hasDependents(o stuck.Object) bool {
	return o.Type.Group != "rbac.authorization.k8s.io" && o.Type.Group != "admissionregistration.k8s.io"
}

func (d *deleted) add(o stuck.Object) {
	if !d.uids[o.UID] {
		d.uids[o.UID] = true
		d.all = append(d.all, o)
	}
}

// addDependents adds the dependents of what is there, and theirs.
func (d *deleted) addDependents() {
	for n := -1; n != len(d.all); {
		n = len(d.all)
		for _, survey := range d.surveys {
			for _, o := range survey.Objects {
				if d.ownersDeleted(o) {
					d.add(o)
				}
			}
		}
	}
}

// ownersDeleted reports whether an object has owners and all of them are deleted
// (kubernetes/pkg/controller/garbagecollector/garbagecollector.go, attemptToDeleteItem).
func (d *deleted) ownersDeleted(o stuck.Object) bool {
	return len(o.Owners) > 0 && !slices.ContainsFunc(o.Owners, func(ref stuck.OwnerReference) bool { return !d.uids[ref.UID] })
}

// dependents is how many objects the garbage collector deletes: what is in no namespace that is
// deleted, and is of no definition that is.
func (d *deleted) dependents() (n int) {
	for _, o := range d.all[len(d.selected):] {
		if !d.namespaces[o.Namespace] && !d.isDeletedByDefinition(o) {
			n++
		}
	}
	return n
}

// isSelected reports whether the user deletes an object, and not the controller of another one.
func (d *deleted) isSelected(o stuck.Object) bool {
	return slices.ContainsFunc(d.selected, func(s stuck.Object) bool { return s.UID == o.UID })
}

// isDeletedByDefinition reports whether an object goes with its CustomResourceDefinition alone:
// no webhook and no policy is asked about it then
// (k8s.io/apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go, deleteInstances).
func (d *deleted) isDeletedByDefinition(o stuck.Object) bool {
	return d.definitions[o.Type.String()] && !d.namespaces[o.Namespace] && !d.isSelected(o)
}

func isDefinition(o stuck.Object) bool {
	return o.Is("apiextensions.k8s.io", "CustomResourceDefinition")
}
