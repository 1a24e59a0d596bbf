package flux

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// inventoryObject is the object of an entry of an inventory: namespace_name_group_kind, with two
// underscores for a colon (fluxcd/cli-utils pkg/object/objmetadata.go).
func inventoryObject(view *cluster.View, id string) (stuck.Object, bool) {
	namespace, rest, ok := strings.Cut(id, "_")
	kindAt := strings.LastIndex(rest, "_")
	if !ok || kindAt < 0 {
		return stuck.Object{}, false
	}
	groupAt := strings.LastIndex(rest[:kindAt], "_")
	if groupAt < 0 {
		return stuck.Object{}, false
	}
	t, served := view.TypeForKind(schema.GroupKind{Group: rest[groupAt+1 : kindAt], Kind: rest[kindAt+1:]})
	o := stuck.Object{Type: t, Namespace: namespace, Name: strings.ReplaceAll(rest[:groupAt], "__", ":")}
	return o, served && kit.IsValidName(o.Name) && t.Namespaced == (namespace != "")
}
