package wait

import (
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// addContent records what a target held when it was read.
func (t *tracker) addContent(objects []stuck.Object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range objects {
		t.update(o)
		if i := t.content[o.Key()]; i != nil {
			i.late = false
		}
	}
}

// holderOf is the target whose content an object is: the namespace that it is in, or the
// CustomResourceDefinition of its type. Events expire, and are not counted.
func (t *tracker) holderOf(o stuck.Object) (key stuck.ObjectKey, held bool) {
	if o.Type.IsEvent() {
		return stuck.ObjectKey{}, false
	}
	for key, i := range t.targets {
		inNamespace := i.object.IsNamespace() && o.Namespace == i.object.Name
		if i.deleting && (inNamespace || isDefinitionOf(i.object, o.Type)) {
			return key, true
		}
	}
	return stuck.ObjectKey{}, false
}

// isDefinitionOf reports whether an object is the CustomResourceDefinition of a type.
func isDefinitionOf(o stuck.Object, t stuck.Type) bool {
	return o.Is("apiextensions.k8s.io", "CustomResourceDefinition") && o.Name == t.Resource+"."+t.Group
}

// addContentScope records that content is watched, and reports whether it was not before.
func (t *tracker) addContentScope(s Scope) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.ContainsFunc(t.scopes, func(known Scope) bool { return known.Type.GVR() == s.Type.GVR() && known.Selection == s.Selection }) {
		return false
	}
	t.scopes = append(t.scopes, s)
	return true
}

// contentScopes are the watches of content that is left.
func (t *tracker) contentScopes() []Scope {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.scopes), func(s Scope) bool {
		for _, i := range t.content {
			if s.covers(i.object) {
				return false
			}
		}
		return true
	})
}
