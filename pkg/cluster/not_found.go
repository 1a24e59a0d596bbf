package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// IsObjectNotFound reports whether the API server said that an object does not exist. Where it
// does not serve the type, or no longer in that version, it answers 404 too, but
// in words of no object (k8s.io/apiserver/pkg/util/notfoundhandler/not_found_handler.go): that says
// nothing of the object.
func IsObjectNotFound(err error) bool {
	return apierrors.IsNotFound(err) && !IsTypeNotServed(err)
}

// IsTypeNotServed reports whether the API server does not serve what was asked for.
func IsTypeNotServed(err error) bool {
	return apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse)
}

// DeletedWithType reports whether an object that was there is gone because its type
// is: a CustomResourceDefinition goes once none of its objects is left. That is
// not so of what an extension server keeps, which nobody can tell from here.
func DeletedWithType(ctx context.Context, source Source, t stuck.Type, err error) bool {
	if !IsTypeNotServed(err) || t.Group == "" {
		return false
	}
	_, err = source.Metadata(ctx, CustomResourceDefinitionType, "", t.Resource+"."+t.Group)
	return IsObjectNotFound(err)
}
