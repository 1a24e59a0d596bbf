package diagnose_test

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause/kit"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// oneOutpost has a Widget of an Outpost, whose condition Connected has a status; without one, there is no Outpost.
type oneOutpost struct {
	*recording.Source
	status string
}

func (s oneOutpost) Get(_ context.Context, t stuck.Type, _, name string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": t.Kind, "metadata": map[string]any{"name": name}}}
	switch {
	case t.Kind == "Widget":
		object.SetUID("w1")
		object.SetAnnotations(map[string]string{"example.com/outpost": "north"})
	case s.status == "":
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: t.Resource}, name)
	default:
		object.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Connected", "status": s.status, "reason": "NoLease", "message": "no lease"}}}
	}
	return object, nil
}

// Only a cluster that exists and says that it is not connected keeps an object: one that is connected takes its time, and
// what its controller does about one that does not exist is not known.
func TestOnlyARemoteThatIsNotReadyHolds(t *testing.T) {
	outpost := stuck.Type{Group: "example.com", Version: "v1", Resource: "outposts", Kind: "Outpost"}
	for status, want := range map[string]int{"False": 1, "Unknown": 1, "True": 0, "": 0} {
		view := cluster.NewView(t.Context(), oneOutpost{(&recording.Recording{}).Source(nil), status}, []stuck.Type{widget, outpost}, nil)
		findings := cause.RemoteNotReady.ByEntry(view, kit.KnownFinalizer{
			Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"},
			Finalizer: "example.com/cleanup",
			Entry: catalog.Entry{Project: "Outposts", Remote: []catalog.Remote{{
				FieldValue: catalog.FieldValue{Annotation: "example.com/outpost"}, Type: "Outpost.example.com",
				Ready:   []catalog.FieldValue{{Condition: "Connected"}},
				Connect: stuck.Step{Action: stuck.ActionCheck, Description: "see why", Command: "kubectl describe outpost {remote}"},
			}}},
		})
		if len(findings) != want {
			t.Fatalf("Connected is %q: found %v", status, findings)
		}
		if want > 0 && (findings[0].Steps[0].Command != "kubectl describe outpost north" || findings[0].Evidence[0] != "condition Connected of outpost.example.com/north is "+status+" (NoLease): no lease") {
			t.Errorf("Connected is %q: %v %v", status, findings[0].Steps, findings[0].Evidence)
		}
	}
}
