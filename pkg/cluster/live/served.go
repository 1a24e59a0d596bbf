package live

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// discoveryLag is how long discovery may name a type that has just been deleted:
// it is brought up to date a moment after lists begin to be answered with 404.
const discoveryLag = 500 * time.Millisecond

// Serves asks the discovery of one group version whether it names the type, and
// if so, once more after a moment.
func (s *Server) Serves(ctx context.Context, t stuck.Type) (bool, error) {
	served, err := s.serves(ctx, t)
	if err != nil || !served {
		return served, err
	}
	if !waitUnlessDone(ctx, discoveryLag) {
		return false, ctx.Err()
	}
	return s.serves(ctx, t)
}

func (s *Server) serves(ctx context.Context, t stuck.Type) (bool, error) {
	path := "/apis/" + t.Group + "/" + t.Version
	if t.Group == "" {
		path = "/api/" + t.Version
	}
	body, err := s.readDocument(ctx, path, "application/json")
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list := metav1.APIResourceList{}
	if err := json.Unmarshal(body, &list); err != nil {
		return false, fmt.Errorf("reading the discovery document at %s: %w", path, err)
	}
	if list.Kind != "APIResourceList" {
		return false, fmt.Errorf("reading the discovery document at %s: it is of kind %q", path, list.Kind)
	}
	return slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == t.Resource }), nil
}
