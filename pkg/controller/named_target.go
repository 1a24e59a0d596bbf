package controller

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
)

// namedTargetFact looks up what a finalizer names in its own text, such as the node
// or the cluster it stands for. Where that is gone, the controller may wait for
// something that cannot answer any more.
func namedTargetFact(s *search, e catalog.Entry) {
	for _, param := range slices.Sorted(maps.Keys(e.Names)) {
		kind, group, _ := strings.Cut(string(e.Names[param]), ".")
		t, served := s.view.TypeForKind(schema.GroupKind{Group: group, Kind: kind})
		name := s.controller.CatalogMatch.Params[param]
		if name == "" || !served {
			continue
		}
		namespace := ""
		if t.Namespaced {
			namespace = s.controller.Object.Namespace
		}
		if s.view.Metadata(t, namespace, name).Absent() {
			s.addFact("the finalizer names %s/%s, which does not exist", t.Singular(), name)
		}
	}
}
