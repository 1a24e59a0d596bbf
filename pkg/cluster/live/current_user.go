package live

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

// CurrentUser answers what the API server holds of the user. The requests are
// written as creations, and create nothing.
type CurrentUser struct {
	selfReviews   authenticationclient.SelfSubjectReviewsGetter
	accessReviews authorizationclient.SelfSubjectAccessReviewsGetter
}

// NewCurrentUser prepares the client; it sends nothing yet.
func NewCurrentUser(config *rest.Config) (CurrentUser, error) {
	config = LimitAnswers(RefuseRedirects(rest.CopyConfig(config)))
	if config.Timeout == 0 {
		config.Timeout = defaultRequestTimeout
	}
	selfReviews, err := authenticationclient.NewForConfig(config)
	if err != nil {
		return CurrentUser{}, fmt.Errorf("setting up the client for one's own name: %w", err)
	}
	accessReviews, err := authorizationclient.NewForConfig(config)
	if err != nil {
		return CurrentUser{}, fmt.Errorf("setting up the client for one's own rights: %w", err)
	}
	return CurrentUser{selfReviews, accessReviews}, nil
}

// Username is the user as the API server knows them.
func (s CurrentUser) Username(ctx context.Context) (string, error) {
	review, err := s.selfReviews.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("asking who one is: %w", err)
	}
	return review.Status.UserInfo.Username, nil
}

// Can reports whether the user may do something to an object, or to one of its
// subresources.
func (s CurrentUser) Can(ctx context.Context, verb string, o stuck.Object, subresource string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: o.Type.Group, Version: o.Type.Version, Resource: o.Type.Resource, Subresource: subresource,
			Namespace: o.Namespace, Name: o.Name,
		},
	}}
	answer, err := s.accessReviews.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, fmt.Errorf("asking whether one may %s %s: %w", verb, o.Type, err)
	}
	return answer.Status.Allowed, nil
}
