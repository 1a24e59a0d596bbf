package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/apitext"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// find surveys the types and objects that the command asks for. The view that it returns
// knows the survey.
func (o *listOptions) find(ctx context.Context, view *cluster.View, types []stuck.Type, targets []target, progress *progress) (*cluster.View, []stuck.Object, error) {
	request := find.Request{Source: o.source, Types: types, Namespace: o.namespace, Labels: o.selector, Keep: o.keep, Progress: progress.show}
	namespaces, err := request.Namespaces(ctx, view)
	if err != nil {
		return nil, nil, err
	}
	if len(targets) > 0 {
		view.AddGaps(namespaces.Gaps...)
		found, err := o.findTargets(ctx, view, targets)
		return view, namespaces.MarkMissing(view, found), err
	}
	result, err := request.Run(ctx, view, namespaces)
	switch {
	case errors.Is(err, find.ErrNoNamespace):
		return nil, nil, namespaceNotFound(o.namespace)
	case err == nil && result.NothingRead() && hasAPIServer(o.source):
		return nil, nil, o.nothingReadError(result.Survey)
	}
	return result.View, result.Objects, err
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
