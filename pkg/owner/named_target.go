package owner

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// namedTarget looks up what a finalizer names in its own text, such as the node
// or the cluster it stands for. Where that is gone, the controller may wait for
// something that cannot answer any more.
func namedTarget(s *search, e catalog.Entry) {
	for _, param := range slices.Sorted(maps.Keys(e.Names)) {
		kind, group, _ := strings.Cut(string(e.Names[param]), ".")
		t, served := s.see.Type(schema.GroupKind{Group: group, Kind: kind})
		name := s.owner.Known.Params[param]
		if name == "" || !served {
			continue
		}
		namespace := ""
		if t.Namespaced {
			namespace = s.owner.Object.Namespace
		}
		if s.see.Metadata(t, namespace, name).Absent() {
			s.fact("the finalizer names %s/%s, which does not exist", t.One(), name)
		}
	}
}
