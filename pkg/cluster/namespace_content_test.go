package cluster_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
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
		fakeapi.RespondStatus(http.StatusInternalServerError, metav1.StatusReasonInternalError)(w, r)
		return
	}
	fakeapi.RespondJSON(fakeapi.ListOf("more", fakeapi.Object("shop", "w1"), fakeapi.Object("shop", "w2", fakeapi.NotDeleting)))(w, r)
}

// What a survey of the cluster could not list is listed in the namespace, and
// nothing else is.
func TestContentTakesWhatIsKnownAndListsTheRest(t *testing.T) {
	widgets := cluster.TypeNameOf(fakeapi.Widget)
	tests := map[string]struct {
		script   fakeapi.Responses
		deleting []string
		left     int
		complete bool
		asked    []string
	}{
		"everything is known": {
			script:   fakeapi.Responses{widgetsPath: fakeapi.RespondList(fakeapi.Object("shop", "w1"), fakeapi.Object("office", "w2"), fakeapi.Object("shop", "w3", fakeapi.NotDeleting))},
			deleting: []string{"web", "w1"}, left: 1, complete: true,
		},
		"the type can be listed in the namespace alone": {
			script:   fakeapi.Responses{shopWidgetsPath: fakeapi.RespondList(fakeapi.Object("shop", "w1"), fakeapi.Object("shop", "w2", fakeapi.NotDeleting))},
			deleting: []string{"web", "w1"}, left: 1, complete: true, asked: []string{shopWidgetsPath},
		},
		"what was seen before the survey failed counts once": {
			script:   fakeapi.Responses{widgetsPath: failOnSecondPage, shopWidgetsPath: fakeapi.RespondList(fakeapi.Object("shop", "w1"), fakeapi.Object("shop", "w2", fakeapi.NotDeleting))},
			deleting: []string{"web", "w1"}, left: 1, complete: true, asked: []string{shopWidgetsPath},
		},
		"the list in the namespace fails too": {
			script:   fakeapi.Responses{widgetsPath: failOnSecondPage, shopWidgetsPath: failOnSecondPage},
			deleting: []string{"web", "w1"}, left: 1, asked: []string{shopWidgetsPath},
		},
		"the type cannot be listed anywhere": {
			script:   fakeapi.Responses{},
			deleting: []string{"web"}, asked: []string{shopWidgetsPath},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.script[podsPath] = fakeapi.RespondList(fakeapi.Object("shop", "web"), fakeapi.Object("office", "web-2"))
			fake := fakeapi.Start(t, test.script)
			view := fake.View(t, nil, fakeapi.Pod, fakeapi.Widget)
			survey, err := cluster.SurveyRequest{
				Types: []stuck.Type{fakeapi.Pod, fakeapi.Widget}, Keep: fakeapi.Deleted, Count: func(string) bool { return true },
			}.Run(t.Context(), fake.Server)
			if err != nil {
				t.Fatal(err)
			}
			view = view.WithSurvey("", &survey)
			before := fake.Requests()
			content := view.NamespaceContent("shop")
			if diff := cmp.Diff(test.deleting, fakeapi.Names(content.Deleting)); diff != "" {
				t.Errorf("deleting (-want +got):\n%s", diff)
			}
			if got := content.NotDeleted[widgets]; got != test.left || content.Complete != test.complete {
				t.Errorf("%d are left, complete %t", got, content.Complete)
			}
			// A request that fails is tried again.
			asked := slices.Compact(slices.DeleteFunc(fake.Requests(), func(path string) bool { return slices.Contains(before, path) }))
			if diff := cmp.Diff(test.asked, asked, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A command that lists more than what is being deleted has not thereby seen it
// go.
func TestContentCountsWhatASurveyKeptForOtherReasons(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{shopWidgetsPath: fakeapi.RespondList(fakeapi.Object("shop", "w1", fakeapi.NotDeleting), fakeapi.Object("shop", "w2"))})
	view := fake.View(t, nil, fakeapi.Widget)
	survey, err := cluster.SurveyRequest{
		Types: []stuck.Type{fakeapi.Widget}, Selection: cluster.Selection{Namespace: "shop"},
		Keep: func(stuck.Object) bool { return true }, Count: func(string) bool { return true },
	}.Run(t.Context(), fake.Server)
	if err != nil {
		t.Fatal(err)
	}
	view = view.WithSurvey("shop", &survey)
	content := view.NamespaceContent("shop")
	if diff := cmp.Diff(map[cluster.TypeName]int{cluster.TypeNameOf(fakeapi.Widget): 1}, content.NotDeleted); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"w2"}, fakeapi.Names(content.Deleting)); diff != "" {
		t.Errorf("deleting (-want +got):\n%s", diff)
	}
}

func TestContentThatIsInterruptedIsAllGap(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	view := cluster.NewView(ctx, fakeapi.Start(t, fakeapi.Responses{shopPodsPath: fakeapi.RespondList()}).Server, []stuck.Type{fakeapi.Pod}, nil)
	if content := view.NamespaceContent("shop"); content.Complete || len(view.Gaps()) == 0 {
		t.Errorf("complete %t, gaps %v", content.Complete, view.Gaps())
	}
}

func TestDependents(t *testing.T) {
	owner := stuck.Object{Type: fakeapi.Widget, Namespace: "shop", Name: "w1", UID: "uid-of-w1"}
	undiscovered := []stuck.Gap{cluster.StaleDiscoveryGap("stale.example.com", "v1")}
	mine := fakeapi.Object("shop", "mine", fakeapi.OwnedBy(owner.UID), fakeapi.NotDeleting)
	tests := map[string]struct {
		script    fakeapi.Responses
		discovery []stuck.Gap
		want      []string
		complete  bool
	}{
		"those that name it by its uid": {
			script: fakeapi.Responses{
				shopPodsPath:    fakeapi.RespondList(mine, fakeapi.Object("shop", "another's", fakeapi.OwnedBy("uid-of-w2")), fakeapi.Object("shop", "nobody's")),
				shopWidgetsPath: fakeapi.RespondList(),
			},
			want: []string{"mine"}, complete: true,
		},
		"a type that cannot be listed may hold more": {
			script: fakeapi.Responses{shopPodsPath: fakeapi.RespondList(mine)},
			want:   []string{"mine"},
		},
		"so may a group that was not discovered": {
			script:    fakeapi.Responses{shopPodsPath: fakeapi.RespondList(), shopWidgetsPath: fakeapi.RespondList()},
			discovery: undiscovered,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			view := fakeapi.Start(t, test.script).View(t, test.discovery, fakeapi.Pod, fakeapi.Widget)
			found := view.Dependents(owner)
			if diff := cmp.Diff(test.want, fakeapi.Names(found.Items)); diff != "" {
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
	fake := fakeapi.Start(t, fakeapi.Responses{shopPodsPath: fakeapi.RespondList(
		fakeapi.Object("shop", "a", fakeapi.OwnedBy("uid-of-w1")), fakeapi.Object("shop", "b", fakeapi.OwnedBy("uid-of-w2")), fakeapi.Object("shop", "c", fakeapi.OwnedBy("uid-of-w3")),
	)})
	view := fake.View(t, nil, fakeapi.Pod)
	waiting := func(name string) stuck.Object {
		m := fakeapi.Object("shop", name)
		m.Finalizers = []string{metav1.FinalizerDeleteDependents}
		return stuck.ObjectOf(fakeapi.Widget, m.ObjectMeta)
	}
	w1, w2 := waiting("w1"), waiting("w2")
	view = view.WithSurvey("shop", &cluster.Survey{Objects: []stuck.Object{w1, w2}})
	for owner, want := range map[*stuck.Object][]string{&w1: {"a"}, &w2: {"b"}} {
		if diff := cmp.Diff(want, fakeapi.Names(view.Dependents(*owner).Items)); diff != "" {
			t.Errorf("dependents of %s (-want +got):\n%s", owner.Name, diff)
		}
	}
	if diff := cmp.Diff([]string{shopPodsPath}, fake.Requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestInstancesOfATypeThatIsNotServedAreUnknown(t *testing.T) {
	view := fakeapi.Start(t, fakeapi.Responses{widgetsPath: fakeapi.RespondList(fakeapi.Object("shop", "w1", fakeapi.NotDeleting))}).View(t, nil, fakeapi.Widget)
	if found, failed := view.CustomResources("widgets.example.com"); !found.Complete || len(failed) > 0 || len(found.Items) != 1 {
		t.Errorf("of a type that is served: %+v, %v", found, failed)
	}
	if found, _ := view.CustomResources("gadgets.example.com"); found.Complete || found.IsKnownEmpty() || len(view.Gaps()) != 1 {
		t.Errorf("of a type that is not served: %+v, gaps %v", found, view.Gaps())
	}
}
