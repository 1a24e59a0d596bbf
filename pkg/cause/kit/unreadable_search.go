package kit

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// addUnreadableNames looks for the object that a list cannot contain, where the API
// server does not say which it is, and names it in the finding.
func addUnreadableNames(view *cluster.View, o stuck.Object, f *stuck.Finding, t stuck.Type, verb string) {
	namespace := ""
	if o.IsNamespace() && cannotListIn(view, o.Name, t) {
		namespace = o.Name
	}
	found := view.UnreadableObjects(t, namespace)
	if len(found) == 0 {
		f.Evidence = append(f.Evidence, "the API server does not name the object, and a search for it found none")
		return
	}
	first := found[0]
	f.BlockedBy = first.Culprit()
	f.Message = fmt.Sprintf("%s%s cannot be %s", first.Ref(), stuck.InNamespace(first.Namespace), verb)
	for _, each := range found[:min(len(found), maxKeysShown)] {
		f.Evidence = append(f.Evidence, fmt.Sprintf("reading %s%s fails with the same error", each.Ref(), stuck.InNamespace(each.Namespace)))
	}
	f.Evidence = append(f.Evidence, "there may be more: the API server names none")
	f.Steps = append([]stuck.Step{{
		Action:      stuck.ActionCheck,
		Description: "find the object in etcd",
		Command:     stuck.Shellf("etcdctl get --prefix --keys-only /registry/ | grep '/%s$'", keySuffix(first)),
	}, restoreStoredStep}, f.Steps...)
	if minor, ok := view.MinorVersion(); ok {
		f.Steps = append(f.Steps, deleteUnreadableSteps(t, "/"+keySuffix(first), minor)...)
	}
}

// cannotListIn reports whether the type cannot be listed in a namespace, or in all.
func cannotListIn(view *cluster.View, namespace string, t stuck.Type) bool {
	return slices.ContainsFunc(view.NamespaceContent(namespace).Failed, func(f cluster.ListFailure) bool { return f.Type.GVR() == t.GVR() })
}

// keySuffix is how the key of an object ends.
func keySuffix(o stuck.Object) string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}
