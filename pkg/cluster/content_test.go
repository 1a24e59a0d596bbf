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
	podsEverywhere    = "/api/v1/pods"
	widgetsEverywhere = "/apis/example.com/v1/widgets"
	podsOfShop        = "/api/v1/namespaces/shop/pods"
	widgetsOfShop     = "/apis/example.com/v1/namespaces/shop/widgets"
)

// halfway gives a first page, and then fails.
func halfway(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("continue") {
		refuses(http.StatusInternalServerError, metav1.StatusReasonInternalError)(w, r)
		return
	}
	saysAs(listOf("more", object("shop", "w1"), object("shop", "w2", alive)))(w, r)
}

// What a survey of the cluster could not list is listed in the namespace, and
// nothing else is.
func TestContentTakesWhatIsKnownAndListsTheRest(t *testing.T) {
	widgets := cluster.Kind{One: "widget.example.com", Many: "widgets.example.com"}
	tests := map[string]struct {
		script   script
		deleting []string
		left     int
		complete bool
		asked    []string
	}{
		"everything is known": {
			script:   script{widgetsEverywhere: holds(object("shop", "w1"), object("office", "w2"), object("shop", "w3", alive))},
			deleting: []string{"web", "w1"}, left: 1, complete: true,
		},
		"the type can be listed in the namespace alone": {
			script:   script{widgetsOfShop: holds(object("shop", "w1"), object("shop", "w2", alive))},
			deleting: []string{"web", "w1"}, left: 1, complete: true, asked: []string{widgetsOfShop},
		},
		"what was seen before the survey failed counts once": {
			script:   script{widgetsEverywhere: halfway, widgetsOfShop: holds(object("shop", "w1"), object("shop", "w2", alive))},
			deleting: []string{"web", "w1"}, left: 1, complete: true, asked: []string{widgetsOfShop},
		},
		"the type cannot be listed anywhere": {
			script:   script{},
			deleting: []string{"web"}, asked: []string{widgetsOfShop},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.script[podsEverywhere] = holds(object("shop", "web"), object("office", "web-2"))
			stage := play(t, test.script)
			see := stage.view(t, nil, pod, widget)
			survey, err := cluster.Pass{
				Types: []stuck.Type{pod, widget}, Keep: deleted, Count: func(string) bool { return true },
			}.Run(t.Context(), stage.server)
			if err != nil {
				t.Fatal(err)
			}
			see.Know("", &survey)
			before := stage.requests()
			content := see.Content("shop")
			if diff := cmp.Diff(test.deleting, names(content.Deleting)); diff != "" {
				t.Errorf("deleting (-want +got):\n%s", diff)
			}
			if got := content.Left[widgets]; got != test.left || content.Complete != test.complete {
				t.Errorf("%d are left, complete %t", got, content.Complete)
			}
			asked := slices.DeleteFunc(stage.requests(), func(path string) bool { return slices.Contains(before, path) })
			if diff := cmp.Diff(test.asked, asked, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A command that lists more than what is being deleted has not thereby seen it
// go.
func TestContentCountsWhatASurveyKeptForOtherReasons(t *testing.T) {
	stage := play(t, script{widgetsOfShop: holds(object("shop", "w1", alive), object("shop", "w2"))})
	see := stage.view(t, nil, widget)
	survey, err := cluster.Pass{
		Types: []stuck.Type{widget}, Selection: cluster.Selection{Namespace: "shop"},
		Keep: func(stuck.Object) bool { return true }, Count: func(string) bool { return true },
	}.Run(t.Context(), stage.server)
	if err != nil {
		t.Fatal(err)
	}
	see.Know("shop", &survey)
	content := see.Content("shop")
	if diff := cmp.Diff(map[cluster.Kind]int{cluster.KindOf(widget): 1}, content.Left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"w2"}, names(content.Deleting)); diff != "" {
		t.Errorf("deleting (-want +got):\n%s", diff)
	}
}

func TestContentThatIsInterruptedIsAllGap(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	see := cluster.NewView(ctx, play(t, script{podsOfShop: holds()}).server, []stuck.Type{pod}, nil)
	if content := see.Content("shop"); content.Complete || len(see.Gaps()) == 0 {
		t.Errorf("complete %t, gaps %v", content.Complete, see.Gaps())
	}
}

func TestDependents(t *testing.T) {
	owner := stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "uid-of-w1"}
	undiscovered := []stuck.Gap{{Source: "/apis/stale.example.com/v1", Error: "stale"}}
	mine := object("shop", "mine", ownedBy(owner.UID), alive)
	tests := map[string]struct {
		script    script
		discovery []stuck.Gap
		want      []string
		complete  bool
	}{
		"those that name it by its uid": {
			script: script{
				podsOfShop:    holds(mine, object("shop", "another's", ownedBy("uid-of-w2")), object("shop", "nobody's")),
				widgetsOfShop: holds(),
			},
			want: []string{"mine"}, complete: true,
		},
		"a type that cannot be listed may hold more": {
			script: script{podsOfShop: holds(mine)},
			want:   []string{"mine"},
		},
		"so may a group that was not discovered": {
			script:    script{podsOfShop: holds(), widgetsOfShop: holds()},
			discovery: undiscovered,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			see := play(t, test.script).view(t, test.discovery, pod, widget)
			found := see.Dependents(owner)
			if diff := cmp.Diff(test.want, names(found.Items)); diff != "" {
				t.Errorf("dependents (-want +got):\n%s", diff)
			}
			if found.Complete != test.complete || len(see.Gaps()) == 0 != test.complete {
				t.Errorf("complete %t, gaps %v", found.Complete, see.Gaps())
			}
		})
	}
}

// One pass looks for the dependents of all that wait for theirs, and gives each
// its own.
func TestDependentsOfManyAreReadTogether(t *testing.T) {
	stage := play(t, script{podsOfShop: holds(
		object("shop", "a", ownedBy("uid-of-w1")), object("shop", "b", ownedBy("uid-of-w2")), object("shop", "c", ownedBy("uid-of-w3")),
	)})
	see := stage.view(t, nil, pod)
	waiting := func(name string) stuck.Object {
		m := object("shop", name)
		m.Finalizers = []string{metav1.FinalizerDeleteDependents}
		return cluster.Object(widget, &m)
	}
	w1, w2 := waiting("w1"), waiting("w2")
	see.Know("shop", &cluster.Survey{Kept: []stuck.Object{w1, w2}})
	for owner, want := range map[*stuck.Object][]string{&w1: {"a"}, &w2: {"b"}} {
		if diff := cmp.Diff(want, names(see.Dependents(*owner).Items)); diff != "" {
			t.Errorf("dependents of %s (-want +got):\n%s", owner.Name, diff)
		}
	}
	if diff := cmp.Diff([]string{podsOfShop}, stage.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestInstancesOfATypeThatIsNotServedAreUnknown(t *testing.T) {
	see := play(t, script{widgetsEverywhere: holds(object("shop", "w1", alive))}).view(t, nil, widget)
	if found, failed := see.InstancesOf("widgets.example.com"); !found.Complete || len(failed) > 0 || len(found.Items) != 1 {
		t.Errorf("of a type that is served: %+v, %v", found, failed)
	}
	if found, _ := see.InstancesOf("gadgets.example.com"); found.Complete || found.None() || len(see.Gaps()) != 1 {
		t.Errorf("of a type that is not served: %+v, gaps %v", found, see.Gaps())
	}
}
