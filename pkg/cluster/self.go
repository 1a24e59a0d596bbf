package cluster

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Self answers what the API server holds of the user himself. The requests are
// written as creations, and create nothing.
type Self struct {
	names  authenticationclient.SelfSubjectReviewsGetter
	rights authorizationclient.SelfSubjectAccessReviewsGetter
}

// NewSelf prepares the client; it sends nothing yet.
func NewSelf(config *rest.Config) (Self, error) {
	names, err := authenticationclient.NewForConfig(config)
	if err != nil {
		return Self{}, fmt.Errorf("setting up the client for one's own name: %w", err)
	}
	rights, err := authorizationclient.NewForConfig(config)
	if err != nil {
		return Self{}, fmt.Errorf("setting up the client for one's own rights: %w", err)
	}
	return Self{names, rights}, nil
}

// Name is the user as the API server knows him.
func (s Self) Name(ctx context.Context) (string, error) {
	review, err := s.names.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("asking who one is: %w", err)
	}
	return review.Status.UserInfo.Username, nil
}

// May says whether the user may do something to an object, or to one of its
// subresources.
func (s Self) May(ctx context.Context, verb string, o stuck.Object, subresource string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: o.Type.Group, Version: o.Type.Version, Resource: o.Type.Resource, Subresource: subresource,
			Namespace: o.Namespace, Name: o.Name,
		},
	}}
	answer, err := s.rights.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking whether one may %s %s: %w", verb, o.Type, err)
	}
	return answer.Status.Allowed, nil
}
