package finalizers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/find"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Explain says why an object is stuck: the causes, with evidence and the next steps, of the object
// and of all that it waits for. Of an object that is not being deleted, it says nothing but its
// finalizers. The error is one of which apierrors.IsNotFound is true if the object does not exist.
func Explain(ctx context.Context, config *rest.Config, kind schema.GroupKind, name types.NamespacedName) (*Explanation, error) {
	ctx, s, err := open(ctx, config)
	if err != nil {
		return nil, err
	}
	t, err := s.typeOf(kind)
	if err != nil {
		return nil, fmt.Errorf("explaining %s %s: %w", kind, name, err)
	}
	object, err := find.Object(ctx, s.source, s.view, t, name.Namespace, name.Name)
	if cluster.IsObjectNotFound(err) {
		if outOfScope, ok := find.OutOfScope(ctx, s.source, t, name.Namespace, name.Name); ok {
			object, err = outOfScope, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("explaining %s %s: %w", kind, name, err)
	}
	diagnoses, err := s.diagnose(ctx, []stuck.Object{object})
	if err != nil {
		return nil, err
	}
	explanation := report.NewExplanation(diagnoses[0], s.view.AllGaps())
	return &explanation, nil
}

// typeOf is the type of a kind. One in a group that could not be discovered may be served all the same.
func (s *session) typeOf(kind schema.GroupKind) (stuck.Type, error) {
	if t, ok := s.view.TypeForKind(kind); ok {
		return t, nil
	}
	for _, gv := range s.view.UndiscoveredGroupVersions() {
		if gv.Group == kind.Group {
			return stuck.Type{}, fmt.Errorf("%s could not be discovered", gv)
		}
	}
	return stuck.Type{}, errors.New("the server has no such kind")
}
