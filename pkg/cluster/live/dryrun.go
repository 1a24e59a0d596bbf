package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// A probe asks the API server what it would say if the finalizers of an object
// were removed, or if the object were deleted. These are the questions that are put as a write, so this file is
// the one beside pkg/removal/apply.go that may send any, and [noWriteTransport] makes
// sure that it sends nothing that is carried out.

// dryRunOptions are the options of every patch that is sent from here.
func dryRunOptions() metav1.PatchOptions {
	return metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
}

// noWriteTransport lets no request through that could change anything, whatever the
// code around it has forgotten: reads, dry runs, and the question what one may
// do.
type noWriteTransport struct{ next http.RoundTripper }

// accessReviewPath is the path at which access reviews are answered; nothing is stored
// there (kubernetes/pkg/registry/authorization/selfsubjectaccessreview/rest.go).
const accessReviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

func (h *noWriteTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case req.Method == http.MethodGet:
	case req.Method == http.MethodPost && strings.HasSuffix(req.URL.Path, accessReviewPath):
	case req.Method == http.MethodPatch && isDryRun(req):
	case req.Method == http.MethodDelete && isDryRun(req) && (req.Body == nil || req.Body == http.NoBody):
		// The options in a body would count in the place of those in the query
		// (k8s.io/apiserver/pkg/endpoints/handlers/delete.go).
	default:
		return nil, fmt.Errorf("%s %s would be a write, and is not sent", req.Method, req.URL.Path)
	}
	return h.next.RoundTrip(req)
}

func isDryRun(req *http.Request) bool {
	return slices.Equal(req.URL.Query()["dryRun"], []string{metav1.DryRunAll})
}

// WrappedRoundTripper lets client-go find the transport whose requests it
// cancels.
func (h *noWriteTransport) WrappedRoundTripper() http.RoundTripper { return h.next }

// Probe sends the patch that takes all finalizers off an object, as a dry run.
func (s *Server) Probe(ctx context.Context, o stuck.Object) error {
	patch, err := json.Marshal(cluster.RemoveFinalizersPatch(o, o.Finalizers))
	if err != nil {
		return err
	}
	if err := checkPathSegments(o.Namespace, o.Name); err != nil {
		return err
	}
	_, err = sendLimited(ctx, s, func(ctx context.Context) (*metav1.PartialObjectMetadata, error) {
		return s.metadata.Resource(o.Type.GVR()).Namespace(o.Namespace).Patch(ctx, o.Name, types.JSONPatchType, patch, dryRunOptions())
	})
	return err
}

// ProbeDelete sends the deletion of an object, as a dry run.
func (s *Server) ProbeDelete(ctx context.Context, o stuck.Object) error {
	if err := checkPathSegments(o.Namespace, o.Name); err != nil {
		return err
	}
	_, err := sendLimited(ctx, s, func(ctx context.Context) (struct{}, error) {
		request := s.deleteClient.Delete().AbsPath(o.Path()).Param("dryRun", metav1.DryRunAll)
		return struct{}{}, request.Do(ctx).Error()
	})
	return err
}

// MayPatch asks whether the user may patch an object; an empty name means all
// objects of the type.
func (s *Server) MayPatch(ctx context.Context, t stuck.Type, namespace, name string) (bool, error) {
	return s.may(ctx, "patch", t, namespace, name)
}

// MayDelete asks whether the user may delete an object.
func (s *Server) MayDelete(ctx context.Context, o stuck.Object) (bool, error) {
	return s.may(ctx, "delete", o.Type, o.Namespace, o.Name)
}

func (s *Server) may(ctx context.Context, verb string, t stuck.Type, namespace, name string) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: verb, Group: t.Group, Version: t.Version, Resource: t.Resource, Namespace: namespace, Name: name,
		},
	}}
	answer, err := sendRead(ctx, s, func(ctx context.Context) (*authorizationv1.SelfSubjectAccessReview, error) {
		return s.accessReviews.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}
