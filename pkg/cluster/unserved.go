package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// isUnservedAnswer reports whether a list was answered as if its type were not
// served.
func isUnservedAnswer(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err)
}

// ConfirmUnserved is nil for a type whose list was answered with 404 or 405 because
// the type was deleted since discovery: it holds nothing. But a gateway, an
// ingress with a wrong path and an extension server in trouble answer so too.
// So discovery is asked again, and where it still names the type, or the error
// is another, that is an error.
func ConfirmUnserved(ctx context.Context, source Source, t stuck.Type, err error) error {
	if !isUnservedAnswer(err) || t.Stale || t.Group == "" { // the core group is always served
		return err
	}
	served, discoveryErr := source.Serves(ctx, t)
	switch {
	case discoveryErr != nil:
		return fmt.Errorf("%w, and its discovery failed: %w", err, discoveryErr)
	case served:
		return fmt.Errorf("%w, but discovery names it", err)
	}
	return nil
}
