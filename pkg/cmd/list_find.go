package cmd

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// find surveys the types and objects that the command asks for. The view that it returns
// knows the survey.
func (o *listOptions) find(ctx context.Context, view *cluster.View, types []stuck.Type, targets []target, progress *progress) (*cluster.View, []stuck.Object, error) {
	namespaces, err := o.namespaces(ctx, view)
	if err != nil {
		return nil, nil, err
	}
	if len(targets) > 0 {
		view.AddGaps(namespaces.survey.Gaps...) // without them it is not known which namespaces exist
		found, err := o.findTargets(ctx, view, targets)
		return view, markMissingNamespaces(view, found, namespaces), err
	}
	pass := cluster.SurveyRequest{
		Types:     cluster.SurveyedTypes(types, o.namespace),
		Selection: cluster.Selection{Namespace: o.namespace, Labels: o.selector},
		Keep:      func(object stuck.Object) bool { return o.keep(object) || namespaces.lacksNamespaceOf(object) },
		Count:     namespaces.isDeleting,
		Progress:  progress.show,
	}
	// Namespaces have been read already, unless only some of them are asked for.
	namespacesRead := o.namespace == "" && o.selector == ""
	if namespacesRead {
		pass.Types = slices.DeleteFunc(pass.Types, func(t stuck.Type) bool { return t.GroupKind() == namespaceKind })
		pass.Progress = progress.after(1, namespaces.countDeleting())
	}
	survey, err := pass.Run(ctx, o.source)
	if err != nil {
		return nil, nil, err
	}
	if namespacesRead {
		survey.Merge(namespaces.survey, o.keep)
	}
	if len(survey.Objects)+len(namespaces.listed) == 0 && o.namespaceMissing(view) {
		return nil, nil, namespaceNotFound(o.namespace)
	}
	if o.selector == "" {
		view = view.WithSurvey(o.namespace, &survey)
	} else {
		view.AddGaps(survey.Gaps...)
	}
	found := survey.Objects
	if survey.Read == 0 && len(namespaces.listed)+len(found) == 0 && len(pass.Types) > 0 && hasAPIServer(o.source) {
		return nil, nil, o.nothingReadError(survey)
	}
	if o.namespace != "" {
		found = append(namespaces.listed, found...)
	}
	return view, markMissingNamespaces(view, found, namespaces), nil
}

// nothingReadError is the error of a survey that could read no type at all, so that
// nothing follows from what it did not find.
func (o *listOptions) nothingReadError(survey cluster.Survey) error {
	where := "in the cluster"
	if o.namespace != "" {
		where = "in namespace " + o.namespace
	}
	if len(survey.Failed) == 0 {
		return fmt.Errorf("none of %d types is served %s: check --context, --server and any proxy in between", len(survey.Unserved), where)
	}
	for _, failure := range survey.Failed {
		if !apierrors.IsForbidden(failure.Err) {
			return fmt.Errorf("none of %d types can be listed %s: %s: %s; check --context, --server and any proxy in between",
				len(survey.Failed)+len(survey.Unserved), where, failure.Type, apitext.ErrorMessage(failure.Err))
		}
	}
	return fmt.Errorf("you may not list any type %s: ask for that right, or choose another namespace with -n, or other credentials with --context or --user", where)
}

// keep reports whether the survey keeps an object at all.
func (o *listOptions) keep(object stuck.Object) bool {
	if o.finalizer != "" {
		o.seen.add(object)
	}
	return object.Deleting() || o.all && len(object.Finalizers) > 0
}

// namespaceSet is what is known of the namespaces before the survey.
type namespaceSet struct {
	byName map[string]stuck.Object
	// survey is the pass that read them, where there are more than one.
	survey cluster.Survey
	// complete says that all namespaces in scope could be read. Without that,
	// none can be said to be missing.
	complete bool
	// listed are those that the list itself may show.
	listed []stuck.Object
}

func (n namespaceSet) isDeleting(namespace string) bool { return n.byName[namespace].Deleting() }

func (n namespaceSet) countDeleting() int {
	count := 0
	for name := range n.byName {
		if n.isDeleting(name) {
			count++
		}
	}
	return count
}

// lacksNamespaceOf reports whether the namespace of an object does not exist.
func (n namespaceSet) lacksNamespaceOf(o stuck.Object) bool {
	_, ok := n.byName[o.Namespace]
	return n.complete && o.Namespace != "" && !ok
}

// namespaces reads the namespaces in scope: those being deleted have their
// content counted, and objects in one that does not exist are marked.
func (o *listOptions) namespaces(ctx context.Context, view *cluster.View) (namespaceSet, error) {
	out := namespaceSet{byName: map[string]stuck.Object{}}
	t, ok := view.TypeForKind(namespaceKind)
	if !ok {
		return out, nil
	}
	if o.namespace != "" {
		m := view.Metadata(t, "", o.namespace)
		out.complete = m.Found() || m.Absent()
		if m.Found() {
			ns := stuck.ObjectOf(t, m.Value.ObjectMeta)
			out.byName[ns.Name] = ns
			if o.keep(ns) && o.selector == "" {
				out.listed = []stuck.Object{ns}
			}
		}
		return out, nil
	}
	var err error
	out.survey, err = cluster.SurveyRequest{Types: []stuck.Type{t}, Keep: func(stuck.Object) bool { return true }}.Run(ctx, o.source)
	for _, ns := range out.survey.Objects {
		out.byName[ns.Name] = ns
	}
	out.complete = len(out.survey.Gaps) == 0
	return out, err
}

// markMissingNamespaces marks the objects whose namespace does not exist. A namespace may
// have been created after they were listed, so each is read again.
func markMissingNamespaces(view *cluster.View, found []stuck.Object, namespaces namespaceSet) []stuck.Object {
	for i := range found {
		if namespaces.lacksNamespaceOf(found[i]) && view.Namespace(found[i].Namespace).Absent() {
			found[i].NamespaceMissing = true
		}
	}
	return found
}

// findTargets reads the types and objects that were named.
func (o *listOptions) findTargets(ctx context.Context, view *cluster.View, targets []target) ([]stuck.Object, error) {
	var found []stuck.Object
	var failed []cluster.ListFailure
	types := 0
	for _, t := range targets {
		survey, asked, err := o.findTarget(ctx, t, t.types())
		if err != nil {
			return nil, err
		}
		view.AddGaps(survey.Gaps...)
		if t.Name != "" && len(survey.Objects) == 0 && len(survey.Failed) == 0 {
			return nil, notFound(view, t, o.namespace)
		}
		found, failed, types = append(found, survey.Objects...), append(failed, survey.Failed...), types+asked
	}
	if len(found) == 0 {
		if err := o.checkScope(view, types, failed); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, stuck.Compare)
	return deduplicate(found), nil
}

// findTarget reads what one argument names, of these types, and returns how many of them
// it read. Other types are not read for an object that a built-in type has.
func (o *listOptions) findTarget(ctx context.Context, t target, types []stuck.Type) (found cluster.Survey, asked int, err error) {
	if t.builtIn && len(types) > 1 {
		found, asked, err = o.findTarget(ctx, t, types[:1])
		if err != nil || len(found.Objects)+len(found.Failed) > 0 {
			return found, asked, err
		}
		types = types[1:]
	}
	sel := cluster.Selection{Namespace: o.namespace, Labels: o.selector, Name: t.Name}
	found, err = cluster.SurveyRequest{Types: types, Selection: sel, Keep: func(object stuck.Object) bool {
		return o.keep(object) || t.Name != ""
	}}.Run(ctx, o.source)
	return found, asked + len(types), err
}

// deduplicate drops objects that two arguments named. Those of some extension APIs
// have no uid, so that duplicates cannot be recognized.
func deduplicate(objects []stuck.Object) []stuck.Object {
	seen := map[types.UID]bool{}
	return slices.DeleteFunc(objects, func(o stuck.Object) bool {
		twice := o.UID != "" && seen[o.UID]
		seen[o.UID] = true
		return twice
	})
}
