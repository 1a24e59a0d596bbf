package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxReferences is how many objects are looked up for one link of the catalog: a spec can name thousands, and each
// costs the API server a request.
const maxReferences = 20

// maxHolders is of how many objects that one link leads to the next is followed.
const maxHolders = 3

// Holder is an object that names others, with its content.
type Holder struct {
	Object  stuck.Object
	Content map[string]any
}

// Follow are the objects at the end of links, each of which leads on from the objects of the one before: the first
// object itself where there are no links. An object that does not exist, or could not be read, leads nowhere.
func Follow(view *cluster.View, first Holder, links []catalog.Link) []Holder {
	holders := []Holder{first}
	for _, link := range links {
		var next []Holder
		for _, holder := range holders {
			next = append(next, holder.read(view, link, maxHolders-len(next))...)
		}
		holders = next
	}
	return holders
}

// read are the first objects that an object names by a link, as many as room is for; that there are more is a gap.
func (h Holder) read(view *cluster.View, link catalog.Link, room int) []Holder {
	refs := h.References(view, link)
	if len(refs) > room {
		view.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("what the objects name that %s of %s names", link.Text(), h.Object.RefInNamespace()),
			Error:  fmt.Sprintf("of %d objects only %d were read", len(refs), room),
		})
		refs = refs[:room]
	}
	var out []Holder
	for _, ref := range refs {
		target, ok := h.Target(view, ref)
		if !ok || target.Type.Version == "" {
			continue
		}
		if read := cluster.ReadSimilar[unstructured.Unstructured](view, target.Type, target.Namespace, target.Name); read.Found() {
			out = append(out, Holder{Object: target, Content: read.Value.Object})
		}
	}
	return out
}

// References are the objects that an object names by a link, each once. Those beyond maxReferences are a gap.
func (h Holder) References(view *cluster.View, link catalog.Link) []catalog.Reference {
	var out []catalog.Reference
	seen := map[catalog.Reference]bool{}
	for _, ref := range link.References(h.Content) {
		if !seen[ref] {
			seen[ref] = true
			out = append(out, ref)
		}
	}
	if len(out) > maxReferences {
		view.AddGaps(stuck.Gap{
			Source: fmt.Sprintf("what %s of %s names", link.Text(), h.Object.RefInNamespace()),
			Error:  fmt.Sprintf("of %d objects only the first %d were looked up", len(out), maxReferences),
		})
		out = out[:maxReferences]
	}
	return out
}

// Target is the object of a reference, with a type that has no version where the API server is known not to serve it.
// It is false for what cannot be the name of an object, and where whether the type is served is not known.
func (h Holder) Target(view *cluster.View, ref catalog.Reference) (stuck.Object, bool) {
	t, served := view.TypeForKindOrGap(ref.Type.GroupKind())
	target := stuck.Object{Type: t, Name: ref.Name}
	if !served {
		target.Type = unservedType(ref.Type.GroupKind())
		return target, IsValidName(ref.Name) && isDiscovered(view, ref.Type.GroupKind().Group)
	}
	if t.Namespaced {
		target.Namespace = cmp.Or(ref.Namespace, h.Object.Namespace)
	}
	return target, IsValidName(ref.Name) && (!t.Namespaced || IsValidName(target.Namespace))
}

// isDiscovered reports whether every version of a group could be discovered, so that a
// type which is not served is known not to be.
func isDiscovered(view *cluster.View, group string) bool {
	return !slices.ContainsFunc(view.UndiscoveredGroupVersions(), func(gv cluster.GroupVersion) bool { return gv.Group == group })
}

// unservedType names a type that the API server does not serve.
func unservedType(gk schema.GroupKind) stuck.Type {
	return stuck.Type{Group: gk.Group, Kind: gk.Kind, Resource: strings.ToLower(gk.Kind)}
}
