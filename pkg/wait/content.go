package wait

import (
	"context"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// maxNamespaceSurveys is how many namespaces are read one by one. For more, each type is
// read once in all namespaces.
const maxNamespaceSurveys = 5

// readContent reads what some targets hold, once they are being deleted, and watches it from
// then on. Nothing new can be created in such a namespace, nor of such a type
// (kubernetes/plugin/pkg/admission/namespace/lifecycle, apiextensions-apiserver/pkg/apiserver/customresource_handler.go),
// so types without objects need no watch.
func (w *waiter) readContent(ctx context.Context, targets []stuck.Object) {
	var namespaces []string
	for _, o := range targets {
		if !o.Deleting() || w.surveyed[o.Key()] {
			continue
		}
		w.surveyed[o.Key()] = true
		if o.IsNamespace() {
			namespaces = append(namespaces, o.Name)
		}
		for _, t := range w.Types {
			if isDefinitionOf(o, t) {
				w.reads.Go(func() { w.survey(ctx, []stuck.Type{t}, "", func(stuck.Object) bool { return true }) })
			}
		}
	}
	types := slices.DeleteFunc(cluster.SurveyedTypes(w.Types, ""), func(t stuck.Type) bool { return !t.Namespaced || t.IsEvent() })
	if len(namespaces) > maxNamespaceSurveys {
		w.reads.Go(func() {
			w.survey(ctx, types, "", func(o stuck.Object) bool { return slices.Contains(namespaces, o.Namespace) })
		})
		return
	}
	for _, namespace := range namespaces {
		w.reads.Go(func() { w.survey(ctx, types, namespace, func(stuck.Object) bool { return true }) })
	}
}

// survey reads objects of some types, and follows the types that have any.
func (w *waiter) survey(ctx context.Context, types []stuck.Type, namespace string, keep func(stuck.Object) bool) {
	survey, err := cluster.SurveyRequest{Types: types, Selection: cluster.Selection{Namespace: namespace}, Keep: keep}.Run(ctx, w.Source)
	if err != nil {
		return // the context has ended
	}
	w.tracker.addContent(survey.Objects)
	for _, failure := range survey.Failed {
		w.tracker.handleFailure(newGap(Scope{Type: failure.Type, Selection: cluster.Selection{Namespace: namespace}}, "read", failure.Err))
	}
	for _, group := range stuck.GroupBy(survey.Objects, func(o stuck.Object) string { return o.Type.GVR().String() }) {
		scope := Scope{Type: group[0].Type, Selection: cluster.Selection{Namespace: namespace}}
		if w.tracker.addContentScope(scope) {
			w.reads.Go(func() { w.follow(ctx, scope) })
		}
	}
}
