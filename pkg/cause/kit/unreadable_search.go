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
		f.Evidence = append(f.Evidence, "which of them it is the API server does not say, and nothing that was found speaks of one that cannot be read")
		return
	}
	first := found[0]
	f.BlockedBy = first.Culprit()
	f.Message = fmt.Sprintf("%s%s cannot be %s", first.Ref(), otherNamespaceClause(o, first.Namespace), verb)
	for _, each := range found[:min(len(found), maxKeysShown)] {
		f.Evidence = append(f.Evidence, fmt.Sprintf("to get %s%s is refused in the same words", each.Ref(), stuck.InNamespace(each.Namespace)))
	}
	f.Evidence = append(f.Evidence, "there may be more: the API server does not say which they are, and only those were tried that something else speaks of")
	f.Steps = append([]stuck.Step{{
		Action:      stuck.ActionChange,
		Description: "if newer software wrote it, run that version again; if it is damaged, restore it from a backup of etcd. It lies there as",
		Command:     stuck.Shellf("etcdctl get --prefix --keys-only /registry/ | grep '/%s$'", keySuffix(first)),
	}}, f.Steps...)
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
