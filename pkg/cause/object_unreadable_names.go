package cause

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// nameUnread looks for the object that a list cannot contain, where the API
// server does not say which it is, and names it in the finding.
func nameUnread(see *cluster.View, o stuck.Object, f *stuck.Finding, t stuck.Type, verb string) {
	namespace := ""
	if o.IsNamespace() && failsIn(see, o.Name, t) {
		namespace = o.Name
	}
	found := see.Unread(t, namespace)
	if len(found) == 0 {
		f.Evidence = append(f.Evidence, "which of them it is the API server does not say, and nothing that was found speaks of one that cannot be read")
		return
	}
	first := found[0]
	f.Culprit = first.As()
	f.Summary = fmt.Sprintf("%s%s cannot be %s", first.Ref(), elsewhere(o, first.Namespace), verb)
	for _, each := range found[:min(len(found), keysShown)] {
		f.Evidence = append(f.Evidence, fmt.Sprintf("to get %s%s is refused in the same words", each.Ref(), in(each.Namespace)))
	}
	f.Evidence = append(f.Evidence, "there may be more: the API server does not say which they are, and only those were tried that something else speaks of")
	f.Fix = append([]stuck.Step{{
		What:    "if newer software wrote it, run that version again; if it is damaged, restore it from a backup of etcd. It lies there as",
		Command: fmt.Sprintf("etcdctl get --prefix --keys-only /registry/ | grep '/%s$'", place(first)),
	}}, f.Fix...)
	if minor, ok := see.Minor(); ok {
		f.Fix = append(f.Fix, deleteUnread(t, "/"+place(first), minor)...)
	}
}

// failsIn says whether the type cannot be listed in a namespace, or in all.
func failsIn(see *cluster.View, namespace string, t stuck.Type) bool {
	return slices.ContainsFunc(see.Content(namespace).Failed, func(f cluster.Failure) bool { return f.Type.GVR() == t.GVR() })
}

// place is how the key of an object ends.
func place(o stuck.Object) string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}
