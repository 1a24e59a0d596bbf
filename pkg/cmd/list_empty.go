package cmd

import (
	"fmt"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// emptyMessage says that there is nothing to list, and no more than that: other
// objects may be stuck than those that were asked for.
func (o *listOptions) emptyMessage(view *cluster.View, gaps bool) []string {
	what := o.searched(o.args)
	message := fmt.Sprintf("No %s found %s.", what, o.where())
	switch {
	case gaps:
		message = fmt.Sprintf("No %s found %s, but not everything could be read.", what, o.where())
	case o.finalizer != "" && !o.seen.contains(o.matchesFinalizer):
		message = fmt.Sprintf("No object %s has a finalizer that matches %q.", o.where(), o.finalizer)
	}
	lines := []string{message}
	if slices.Contains(o.args, "all") {
		lines = append(lines, `"all" is a category of a few types, as in kubectl get: leave it out to list every type.`)
	}
	if ns := o.readNamespace(view); ns.Deleting() {
		lines = append(lines, fmt.Sprintf("%s itself is Terminating: %s", ns.Ref(), stuck.Shellf("kubectl finalizers explain ns/%s", ns.Name)))
	}
	return lines
}

// searched are the objects that were looked for, in words.
func (f listFlags) searched(args []string) string {
	if len(args) > 0 || f.selector != "" || f.fieldSelector != "" || f.finalizer != "" || f.olderThan > 0 {
		return "matching stuck objects"
	}
	return "stuck objects"
}

// where is the scope in words.
func (o *listOptions) where() string {
	if o.namespace == "" {
		return "in the cluster"
	}
	return "in namespace " + o.namespace
}

// readNamespace is the namespace to look in, empty where there is none or it could not
// be read.
func (o *listOptions) readNamespace(view *cluster.View) stuck.Object {
	t, ok := view.TypeForKind(find.NamespaceKind)
	if !ok || o.namespace == "" {
		return stuck.Object{}
	}
	m := view.Metadata(t, "", o.namespace)
	if !m.Found() {
		return stuck.Object{}
	}
	return stuck.ObjectOf(t, m.Value.ObjectMeta)
}

// checkScope refuses to call empty what could not be looked at: a namespace that does
// not exist, and types of which none could be read.
func (o *listOptions) checkScope(view *cluster.View, types int, failed []cluster.ListFailure) error {
	if find.NamespaceMissing(view, o.namespace) {
		return namespaceNotFound(o.namespace)
	}
	return nothingReadable(types, failed)
}

// nothingReadable is the error of a survey that could read none of its types.
func nothingReadable(types int, failed []cluster.ListFailure) error {
	switch {
	case types == 0 || len(failed) < types:
		return nil
	case types == 1:
		return fmt.Errorf("listing %s: %w", failed[0].Type, failed[0].Err)
	}
	return fmt.Errorf("none of %d types could be listed, %s first: %w", types, failed[0].Type, failed[0].Err)
}
