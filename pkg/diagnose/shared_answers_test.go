package diagnose_test

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/diagnose"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// withUnrelatedObjects answers as a recording does, and puts before each list of one of its types an object that has nothing
// to do with the story.
type withUnrelatedObjects struct {
	*recording.Source
	types []string
}

func (s withUnrelatedObjects) List(ctx context.Context, t stuck.Type, sel cluster.Selection, visit func(unstructured.Unstructured)) error {
	if slices.Contains(s.types, t.Resource) {
		stranger := unstructured.Unstructured{}
		stranger.SetName("a-stranger")
		visit(stranger)
	}
	return s.Source.List(ctx, t, sel, visit)
}

// TestCausesLeaveTheirEvidenceAsItIs has causes look that pick some of what all of them are given: the next one is to
// see all of it.
func TestCausesLeaveTheirEvidenceAsItIs(t *testing.T) {
	seen := 0
	for _, story := range stories(t) {
		var names func(*cluster.View) []string
		switch story.Name {
		case "nodeclaim-waits-for-a-volume":
			names = func(view *cluster.View) (out []string) {
				for _, a := range view.VolumeAttachments().Items {
					out = append(out, a.Name)
				}
				return out
			}
		case "ceph-volumes-are-left":
			names = func(view *cluster.View) (out []string) {
				for _, v := range view.PersistentVolumes().Items {
					out = append(out, v.Name)
				}
				return out
			}
		default:
			continue
		}
		seen++
		source := withUnrelatedObjects{source(t, story), []string{"volumeattachments", "persistentvolumes"}}
		types, gaps, err := source.Types(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		view := cluster.NewView(t.Context(), source, types, gaps)
		before := names(view)
		if _, err := diagnose.Objects(t.Context(), view, known(t), []stuck.Object{targetOf(t, story, view)}); err != nil {
			t.Fatal(err)
		}
		if after := names(view); len(before) < 2 || !slices.Equal(before, after) {
			t.Errorf("%s: the view held %q, and after the causes have looked it holds %q", story.Name, before, after)
		}
	}
	if seen < 2 {
		t.Errorf("only %d of the stories were found", seen)
	}
}
