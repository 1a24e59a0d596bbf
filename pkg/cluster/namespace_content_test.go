package cluster_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const (
	podsPath        = "/api/v1/pods"
	widgetsPath     = "/apis/example.com/v1/widgets"
	shopPodsPath    = "/api/v1/namespaces/shop/pods"
	shopWidgetsPath = "/apis/example.com/v1/namespaces/shop/widgets"
)

// failOnSecondPage gives a first page, and then fails.
func failOnSecondPage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("continue") {
		respondStatus(http.StatusInternalServerError, metav1.StatusReasonInternalError)(w, r)
		return
	}
	respondJSON(listOf("more", object("shop", "w1"), object("shop", "w2", notDeleting)))(w, r)
}

// What a survey of the cluster could not list is listed in the namespace, and
// nothing else is.
func TestContentTakesWhatIsKnownAndListsTheRest(t *testing.T) {
	widgets := cluster.TypeName{Singular: "widget.example.com", Plural: "widgets.example.com"}
	tests := map[string]struct {
		script   fakeResponses
		deleting []string
		left     int
		complete bool
		asked    []string
	}{
		"everything is known": {
			script:   fakeResponses{widgetsPath: respondList(object("shop", "w1"), object("office", "w2"), object("shop", "w3", notDeleting))},
			deleting: []string{"web", "w1"}, left: 1, complete: true,
		},
		"the type can be listed in the namespace alone": {
			script:   fakeResponses{shopWidgetsPath: respondList(object("shop", "w1"), object("shop", "w2", notDeleting))},
			deleting: []string{"web", "w1"}, left: 1, complete: true, asked: []string{shopWidgetsPath},
		},
		"what was seen before the survey failed counts once": {
			script:   fakeResponses{widgetsPath: failOnSecondPage, shopWidgetsPath: respondList(object("shop", "w1"), object("shop", "w2", notDeleting))},
			deleting: []string{"web", "w1"}, left: 1, complete: true, asked: []string{shopWidgetsPath},
		},
		"the type cannot be listed anywhere": {
			script:   fakeResponses{},
			deleting: []string{"web"}, asked: []string{shopWidgetsPath},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.script[podsPath] = respondList(object("shop", "web"), object("office", "web-2"))
			fake := startFake(t, test.script)
			view := fake.view(t, nil, pod, widget)
			survey, err := cluster.SurveyRequest{
				Types: []stuck.Type{pod, widget}, Keep: deleted, Count: func(string) bool { return true },
			}.Run(t.Context(), fake.server)
			if err != nil {
				t.Fatal(err)
			}
			view.Know("", &survey)
			before := fake.requests()
			content := view.NamespaceContent("shop")
			if diff := cmp.Diff(test.deleting, names(content.Deleting)); diff != "" {
				t.Errorf("deleting (-want +got):\n%s", diff)
			}
			if got := content.NotDeleted[widgets]; got != test.left || content.Complete != test.complete {
				t.Errorf("%d are left, complete %t", got, content.Complete)
			}
			asked := slices.DeleteFunc(fake.requests(), func(path string) bool { return slices.Contains(before, path) })
			if diff := cmp.Diff(test.asked, asked, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A command that lists more than what is being deleted has not thereby seen it
// go.
func TestContentCountsWhatASurveyKeptForOtherReasons(t *testing.T) {
	fake := startFake(t, fakeResponses{shopWidgetsPath: respondList(object("shop", "w1", notDeleting), object("shop", "w2"))})
	view := fake.view(t, nil, widget)
	survey, err := cluster.SurveyRequest{
		Types: []stuck.Type{widget}, Selection: cluster.Selection{Namespace: "shop"},
		Keep: func(stuck.Object) bool { return true }, Count: func(string) bool { return true },
	}.Run(t.Context(), fake.server)
	if err != nil {
		t.Fatal(err)
	}
	view.Know("shop", &survey)
	content := view.NamespaceContent("shop")
	if diff := cmp.Diff(map[cluster.TypeName]int{cluster.TypeNameOf(widget): 1}, content.NotDeleted); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"w2"}, names(content.Deleting)); diff != "" {
		t.Errorf("deleting (-want +got):\n%s", diff)
	}
}

func TestContentThatIsInterruptedIsAllGap(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	view := cluster.NewView(ctx, startFake(t, fakeResponses{shopPodsPath: respondList()}).server, []stuck.Type{pod}, nil)
	if content := view.NamespaceContent("shop"); content.Complete || len(view.Gaps()) == 0 {
		t.Errorf("complete %t, gaps %v", content.Complete, view.Gaps())
	}
}

func TestDependents(t *testing.T) {
	owner := stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "uid-of-w1"}
	undiscovered := []stuck.Gap{{Source: "/apis/stale.example.com/v1", Error: "stale"}}
	mine := object("shop", "mine", ownedBy(owner.UID), notDeleting)
	tests := map[string]struct {
		script    fakeResponses
		discovery []stuck.Gap
		want      []string
		complete  bool
	}{
		"those that name it by its uid": {
			script: fakeResponses{
				shopPodsPath:    respondList(mine, object("shop", "another's", ownedBy("uid-of-w2")), object("shop", "nobody's")),
				shopWidgetsPath: respondList(),
			},
			want: []string{"mine"}, complete: true,
		},
		"a type that cannot be listed may hold more": {
			script: fakeResponses{shopPodsPath: respondList(mine)},
			want:   []string{"mine"},
		},
		"so may a group that was not discovered": {
			script:    fakeResponses{shopPodsPath: respondList(), shopWidgetsPath: respondList()},
			discovery: undiscovered,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			view := startFake(t, test.script).view(t, test.discovery, pod, widget)
			found := view.Dependents(owner)
			if diff := cmp.Diff(test.want, names(found.Items)); diff != "" {
				t.Errorf("dependents (-want +got):\n%s", diff)
			}
			if found.Complete != test.complete || len(view.Gaps()) == 0 != test.complete {
				t.Errorf("complete %t, gaps %v", found.Complete, view.Gaps())
			}
		})
	}
}

// One pass looks for the dependents of all that wait for theirs, and gives each
// its own.
func TestDependentsOfManyAreReadTogether(t *testing.T) {
	fake := startFake(t, fakeResponses{shopPodsPath: respondList(
		object("shop", "a", ownedBy("uid-of-w1")), object("shop", "b", ownedBy("uid-of-w2")), object("shop", "c", ownedBy("uid-of-w3")),
	)})
	view := fake.view(t, nil, pod)
	waiting := func(name string) stuck.Object {
		m := object("shop", name)
		m.Finalizers = []string{metav1.FinalizerDeleteDependents}
		return cluster.ObjectFromMetadata(widget, &m)
	}
	w1, w2 := waiting("w1"), waiting("w2")
	view.Know("shop", &cluster.Survey{Objects: []stuck.Object{w1, w2}})
	for owner, want := range map[*stuck.Object][]string{&w1: {"a"}, &w2: {"b"}} {
		if diff := cmp.Diff(want, names(view.Dependents(*owner).Items)); diff != "" {
			t.Errorf("dependents of %s (-want +got):\n%s", owner.Name, diff)
		}
	}
	if diff := cmp.Diff([]string{shopPodsPath}, fake.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestInstancesOfATypeThatIsNotServedAreUnknown(t *testing.T) {
	view := startFake(t, fakeResponses{widgetsPath: respondList(object("shop", "w1", notDeleting))}).view(t, nil, widget)
	if found, failed := view.CustomResources("widgets.example.com"); !found.Complete || len(failed) > 0 || len(found.Items) != 1 {
		t.Errorf("of a type that is served: %+v, %v", found, failed)
	}
	if found, _ := view.CustomResources("gadgets.example.com"); found.Complete || found.None() || len(view.Gaps()) != 1 {
		t.Errorf("of a type that is not served: %+v, gaps %v", found, view.Gaps())
	}
}
