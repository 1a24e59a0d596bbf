package finalizers

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// ListOptions say what to list.
type ListOptions struct {
	// Namespace is a namespace, which is listed with the objects in it. Empty means the whole cluster.
	Namespace string
	// LabelSelector leaves out all objects that do not have these labels.
	LabelSelector string
}

// List lists what is stuck: objects that are being deleted and still exist past their grace
// period, and objects in a namespace that does not exist. It reads every type of the cluster.
func List(ctx context.Context, config *rest.Config, options ListOptions) (*StuckList, error) {
	ctx, s, err := open(ctx, config)
	if err != nil {
		return nil, err
	}
	objects, err := s.find(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("listing what is stuck: %w", err)
	}
	diagnoses, err := s.diagnose(ctx, objects)
	if err != nil {
		return nil, err
	}
	deleted := find.Deleted(ctx, s.source, diagnoses)
	diagnoses = slices.DeleteFunc(diagnoses, func(d *stuck.Diagnosis) bool { return slices.Contains(deleted, d) })
	list := report.NewStuckList(diagnoses, s.view.AllGaps())
	return &list, nil
}

// find surveys the cluster, or the namespace.
func (s *session) find(ctx context.Context, options ListOptions) ([]stuck.Object, error) {
	request := find.Request{Source: s.source, Types: s.types, Namespace: options.Namespace, Labels: options.LabelSelector, Keep: stuck.Object.Deleting}
	namespaces, err := request.Namespaces(ctx, s.view)
	if err != nil {
		return nil, err
	}
	result, err := request.Run(ctx, s.view, namespaces)
	switch {
	case errors.Is(err, find.ErrNoNamespace):
		return nil, fmt.Errorf("namespace %q does not exist", options.Namespace)
	case err != nil:
		return nil, err
	case result.NothingRead() && len(result.Survey.Failed) > 0:
		first := result.Survey.Failed[0]
		return nil, fmt.Errorf("no type can be listed; %s: %w", first.Type, first.Err)
	case result.NothingRead():
		return nil, errors.New("no type is served")
	}
	s.view = result.View
	now := s.source.Now()
	return slices.DeleteFunc(result.Objects, func(o stuck.Object) bool { return !o.IsStuck(now) && !o.NamespaceMissing }), nil
}
