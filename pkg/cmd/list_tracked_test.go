package cmd

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/report"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

var (
	configMaps = stuck.Type{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}
	secrets    = stuck.Type{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
)

// deletingObject is an object whose deletion was over at some time.
func deletingObject(of stuck.Type, name, version string, after time.Duration) stuck.Object {
	return stuck.Object{Type: of, Name: name, UID: types.UID(of.Resource + name), ResourceVersion: version, DeletionTime: now.Add(after), Finalizers: []string{"x"}}
}

// what a follower would say next: what is to be judged, and after a stroke
// what is gone.
func pendingChanges(f *follower) string {
	objects, gone := f.pending()
	var words []string
	for _, o := range objects {
		words = append(words, o.Name)
		f.updatePrinted(&stuck.Diagnosis{Object: o, Verdict: stuck.Unknown})
	}
	words = append(words, "|")
	for _, d := range gone {
		words = append(words, d.Object.Name)
	}
	return strings.Trim(strings.Join(words, " "), " ")
}

func TestFollowerSaysWhatChanged(t *testing.T) {
	source := (&recording.Recording{Time: now}).Source(nil)
	f := &follower{listOptions: &listOptions{source: source}, objects: map[types.UID]*trackedObject{}}
	alive := deletingObject(configMaps, "alive", "1", 0)
	alive.DeletionTime = time.Time{}
	for _, step := range []struct {
		name   string
		change live.Change
		want   string
	}{
		{"one gets stuck", live.Change{Object: deletingObject(configMaps, "a", "1", -time.Minute)}, "a |"},
		{"the same again", live.Change{Object: deletingObject(configMaps, "a", "1", -time.Minute)}, "|"},
		{"it changes", live.Change{Object: deletingObject(configMaps, "a", "2", -time.Minute)}, "a |"},
		{"another has time left", live.Change{Object: deletingObject(configMaps, "b", "1", time.Minute)}, "|"},
		{"it is gone before that was over", live.Change{Object: deletingObject(configMaps, "b", "2", time.Minute), Removed: true}, "|"},
		{"one that nobody deletes", live.Change{Object: alive}, "|"},
		{"another type", live.Change{Object: deletingObject(secrets, "s", "1", -time.Minute)}, "s |"},
		{"one that was missed", live.Change{
			Type: configMaps, Relisted: true, Deleting: []stuck.Object{deletingObject(configMaps, "a", "2", -time.Minute), deletingObject(configMaps, "c", "3", -time.Minute)},
		}, "c |"},
		{"two were missed that are gone", live.Change{Type: configMaps, Relisted: true}, "| a c"},
		{"the last is gone", live.Change{Object: deletingObject(secrets, "s", "2", -time.Minute), Removed: true}, "| s"},
	} {
		f.handleChange(step.change)
		if got := pendingChanges(f); got != step.want {
			t.Errorf("%s: it says %q, not %q", step.name, got, step.want)
		}
	}
	if len(f.objects) > 0 {
		t.Errorf("%d objects are remembered", len(f.objects))
	}
}

// Why something is stuck may change while it does not. Only then it is said
// again.
func TestFollowerReconsiders(t *testing.T) {
	source := (&recording.Recording{Time: now}).Source(nil)
	f := &follower{listOptions: &listOptions{source: source}, objects: map[types.UID]*trackedObject{}}
	f.handleChange(live.Change{Object: deletingObject(configMaps, "a", "1", -time.Minute)})
	_ = pendingChanges(f)
	f.markAllChanged()
	objects, _ := f.pending()
	if len(objects) != 1 {
		t.Fatalf("%d objects are judged again", len(objects))
	}
	for verdict, want := range map[stuck.Verdict]report.Event{stuck.Unknown: "", stuck.Blocked: report.EventChanged} {
		f.objects[objects[0].UID].printed = f.rowKey(&stuck.Diagnosis{Object: objects[0], Verdict: stuck.Unknown})
		if got := f.updatePrinted(&stuck.Diagnosis{Object: objects[0], Verdict: verdict}); got != want {
			t.Errorf("the verdict %s after Unknown is event %q, not %q", verdict, got, want)
		}
	}
}

// failingSource answers a question for one object with an error.
type failingSource struct {
	*recording.Source
	err error
}

func (m *failingSource) Metadata(context.Context, stuck.Type, string, string) (*metav1.PartialObjectMetadata, error) {
	return nil, m.err
}

// What has left a selection is called gone when the API server says so, and is
// not forgotten while it cannot.
func TestFollowerAsksUntilItIsAnswered(t *testing.T) {
	object := deletingObject(configMaps, "a", "1", -time.Minute)
	for _, test := range []struct {
		err         error
		gone, again bool
	}{
		{err: apierrors.NewServiceUnavailable("not now"), again: true},
		{err: apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "a", nil)},
		{err: apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, "a"), gone: true},
	} {
		source := &failingSource{(&recording.Recording{Time: now}).Source(nil), test.err}
		f := &follower{listOptions: &listOptions{source: source}, objects: map[types.UID]*trackedObject{}}
		f.selector = "team=a"
		f.handleChange(live.Change{Object: object})
		_ = pendingChanges(f)
		f.handleChange(live.Change{Object: object, Removed: true})
		if got := pendingChanges(f); got != "| a" {
			t.Fatalf("it says %q", got)
		}
		if gone := f.isGone(t.Context(), object); gone != test.gone {
			t.Errorf("%v: it is called gone: %t", test.err, gone)
		}
		if again := pendingChanges(f) == "| a"; again != test.again {
			t.Errorf("%v: it is asked for again: %t", test.err, again)
		}
	}
}

// Objects that were named are listed one by one: that another is not in the list says nothing of it.
func TestFollowerOfNamedObjects(t *testing.T) {
	source := (&recording.Recording{Time: now}).Source(nil)
	f := &follower{listOptions: &listOptions{source: source}, objects: map[types.UID]*trackedObject{}}
	a, b := deletingObject(configMaps, "a", "1", -time.Minute), deletingObject(configMaps, "b", "1", -time.Minute)
	f.track(a, false)
	f.track(b, false)
	if got := pendingChanges(f); got != "a b |" {
		t.Fatalf("it says %q", got)
	}
	for _, step := range []struct {
		selected cluster.Selection
		deleting []stuck.Object
		want     string
	}{
		{cluster.Selection{Name: "a"}, []stuck.Object{a}, "|"},
		{cluster.Selection{Name: "b"}, nil, "| b"},
		{cluster.Selection{}, nil, "| a"},
	} {
		f.handleChange(live.Change{Type: configMaps, Selection: step.selected, Relisted: true, Deleting: step.deleting})
		if got := pendingChanges(f); got != step.want {
			t.Errorf("after a list of %+v it says %q, not %q", step.selected, got, step.want)
		}
	}
}
