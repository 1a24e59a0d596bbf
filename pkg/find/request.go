package find

import (
	"context"
	"errors"
	"slices"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Request says which objects to find.
type Request struct {
	Source cluster.Source
	// Types are the types of the cluster.
	Types []stuck.Type
	// Namespace is the namespace to look in, empty for the whole cluster.
	Namespace string
	// Labels is a label selector, empty for all objects.
	Labels string
	// Keep decides on each object.
	Keep func(stuck.Object) bool
	// Progress, where set, is called with how many types are read, and how many of their
	// objects are being deleted.
	Progress func(done, total, deleting int)
}

// Result is what a survey has found.
type Result struct {
	// View knows the survey.
	View    *cluster.View
	Objects []stuck.Object
	Survey  cluster.Survey
	asked   int
}

// NothingRead reports whether no type at all could be read, so that nothing follows from
// what was not found.
func (r Result) NothingRead() bool {
	return r.Survey.Read == 0 && len(r.Objects) == 0 && r.asked > 0
}

// ErrNoNamespace is the error of a survey of a namespace that does not exist.
var ErrNoNamespace = errors.New("the namespace does not exist")

// Run surveys the cluster, or the namespace. The error is ErrNoNamespace, or that of a
// canceled context.
func (r Request) Run(ctx context.Context, view *cluster.View, namespaces Namespaces) (Result, error) {
	pass := cluster.SurveyRequest{
		Types:     cluster.SurveyedTypes(r.Types, r.Namespace),
		Selection: cluster.Selection{Namespace: r.Namespace, Labels: r.Labels},
		Keep:      func(object stuck.Object) bool { return r.Keep(object) || namespaces.lacksNamespaceOf(object) },
		Count:     namespaces.isDeleting,
		Progress:  r.Progress,
	}
	// Namespaces have been read already, unless only some of them are asked for.
	namespacesRead := r.Namespace == "" && r.Labels == ""
	if namespacesRead {
		pass.Types = slices.DeleteFunc(pass.Types, func(t stuck.Type) bool { return t.GroupKind() == NamespaceKind })
		pass.Progress = r.progressAfter(1, namespaces.countDeleting())
	}
	survey, err := pass.Run(ctx, r.Source)
	if err != nil {
		return Result{}, err
	}
	if namespacesRead {
		survey.Merge(namespaces.survey, r.Keep)
	}
	if len(survey.Objects)+len(namespaces.listed) == 0 && NamespaceMissing(view, r.Namespace) {
		return Result{}, ErrNoNamespace
	}
	if r.Labels == "" {
		view = view.WithSurvey(r.Namespace, &survey)
	} else {
		view.AddGaps(survey.Gaps...)
	}
	found := survey.Objects
	if r.Namespace != "" {
		found = append(namespaces.listed, found...)
	}
	return Result{View: view, Objects: namespaces.MarkMissing(view, found), Survey: survey, asked: len(pass.Types)}, nil
}

// progressAfter is the progress of a pass that follows another, which has read and found some.
func (r Request) progressAfter(read, found int) func(done, total, deleting int) {
	if r.Progress == nil {
		return nil
	}
	return func(done, total, deleting int) { r.Progress(read+done, read+total, found+deleting) }
}
