package diagnose_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// withController is a story in which a workload runs, and may do everything with the types of a group.
type withController struct {
	*recording.Source
	resource, namespace, name, group string
}

func (s withController) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	metadata := map[string]any{"namespace": s.namespace, "name": s.name, "uid": s.name}
	visitOne := func(object map[string]any) { visit(unstructured.Unstructured{Object: object}) }
	switch {
	case t.Resource == s.resource && sel.Namespace == s.namespace:
		visitOne(map[string]any{
			"metadata": metadata, "spec": map[string]any{"replicas": int64(1), "template": map[string]any{"spec": map[string]any{"serviceAccountName": s.name}}},
			"status": map[string]any{"replicas": int64(1), "readyReplicas": int64(1), "availableReplicas": int64(1)},
		})
	case t.Resource == "clusterroles":
		visitOne(map[string]any{"metadata": metadata, "rules": []any{map[string]any{"apiGroups": []any{s.group}, "resources": []any{"*"}, "verbs": []any{"*"}}}})
	case t.Resource == "clusterrolebindings":
		visitOne(map[string]any{
			"metadata": metadata, "roleRef": map[string]any{"kind": "ClusterRole", "name": s.name},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": s.namespace, "name": s.name}},
		})
	default:
		return s.Source.List(ctx, t, sel, visit)
	}
	return nil
}

// What has to be mended for a controller is all that is said where the controller runs. Where none is left, that is said too.
func TestTheControllerIsNamedWhereNoneIsLeft(t *testing.T) {
	for name, test := range map[string]struct {
		cause                            string
		resource, namespace, name, group string
	}{
		"gateway-class-was-deleted":        {cause.ClassMissing.ID, "deployments", "aws-application-networking-system", "gateway-api-controller", "gateway.networking.k8s.io"},
		"argocd-deletion-is-not-confirmed": {cause.ConfirmationMissing.ID, "statefulsets", "argocd", "argocd-application-controller", "argoproj.io"},
		"machine-is-not-drained":           {cause.NodeDrainForbidden.ID, "deployments", "capi-system", "capi-controller-manager", "cluster.x-k8s.io"},
	} {
		i := slices.IndexFunc(stories(t), func(s recording.Scenario) bool { return filepath.Base(s.Dir) == name })
		story := stories(t)[i]
		alone := source(t, story)
		runs := withController{source(t, story), test.resource, test.namespace, test.name, test.group}
		if got, want := causesOf(t, story, alone), []string{test.cause, cause.ControllerGone.ID}; !slices.Equal(got, want) {
			t.Errorf("%s: without the controller: %v, want %v", name, got, want)
		}
		if got, want := causesOf(t, story, runs), []string{test.cause}; !slices.Equal(got, want) {
			t.Errorf("%s: with the controller: %v, want %v", name, got, want)
		}
	}
}

// causesOf are the causes of the target of a story.
func causesOf(t *testing.T, story recording.Scenario, source cluster.Source) (causes []string) {
	t.Helper()
	types, gaps, err := source.Types(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	view := cluster.NewView(t.Context(), source, types, gaps)
	diagnoses, err := diagnose.Objects(t.Context(), view, known(t), []stuck.Object{targetOf(t, story, view)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range diagnoses[0].Findings {
		causes = append(causes, f.Cause)
	}
	return causes
}
