package diagnose_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/recording"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/catalog"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cause"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/controller"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// watchState is what can be seen of the watches on widgets, and of the API servers.
type watchState struct {
	open, baseline int
	servers        int
	// custom are the watches on types of other makers.
	custom []int
	// age is how old the CRD is, zero for one that is years old.
	age time.Duration
	// renewed are how long ago the API servers renewed their leases, nil where each did a
	// second ago.
	renewed []time.Duration
	// aggregated says that no CRD defines the type.
	aggregated bool
	// namespaceDeleting says that the object's namespace is being deleted.
	namespaceDeleting bool
}

var widget = stuck.Type{Group: "example.com", Version: "v1", Resource: "widgets", Kind: "Widget", Namespaced: true}

func (s watchState) view(t *testing.T) *cluster.View {
	t.Helper()
	ns := map[string]any{"metadata": map[string]any{"name": "shop"}}
	if s.namespaceDeleting {
		ns["metadata"].(map[string]any)["deletionTimestamp"] = "2026-03-01T02:00:00Z"
	}
	addresses := []any{}
	for range s.servers {
		addresses = append(addresses, map[string]any{"addresses": []any{"10.0.0.1"}})
	}
	watches := []map[string]any{
		{"group": "example.com", "resource": "widgets", "open": int64(s.open)},
		{"group": "", "resource": "podtemplates", "open": int64(s.baseline)},
	}
	for i, n := range s.custom {
		watches = append(watches, map[string]any{"group": "other.example.org", "resource": fmt.Sprintf("things%d", i), "open": int64(n)})
	}
	now := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	crd := []map[string]any{{"metadata": map[string]any{"name": "widgets.example.com", "creationTimestamp": "2020-03-01T03:00:00Z"}}}
	if s.age > 0 {
		crd[0]["metadata"].(map[string]any)["creationTimestamp"] = now.Add(-s.age).Format(time.RFC3339)
	}
	var leases []map[string]any
	if s.renewed == nil {
		s.renewed = slices.Repeat([]time.Duration{time.Second}, s.servers)
	}
	for _, ago := range s.renewed {
		leases = append(leases, map[string]any{"spec": map[string]any{"renewTime": now.Add(-ago).Format(metav1.RFC3339Micro)}})
	}
	answers := []recording.Answer{
		{Question: "list leases.coordination.k8s.io in kube-system with labels apiserver.kubernetes.io/identity=kube-apiserver", Objects: leases},
		{Question: "metadata of widgets.example.com/w1 in shop", Objects: []map[string]any{{"metadata": map[string]any{"uid": "w1"}}}},
		{Question: "get namespaces/shop", Objects: []map[string]any{ns}},
		{Question: "watches", Objects: watches},
		{Question: "list pods in shop with labels app=operator"},
		{
			Question: "list endpointslices.discovery.k8s.io in default with labels kubernetes.io/service-name=kubernetes",
			Objects:  []map[string]any{{"endpoints": addresses}},
		},
	}
	defined := recording.Answer{Question: "metadata of customresourcedefinitions.apiextensions.k8s.io/widgets.example.com", Objects: crd}
	if s.aggregated {
		defined.Error = &metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
	}
	answers = append(answers, defined)
	return cluster.NewView(t.Context(), (&recording.Recording{Time: now, Answers: answers}).Source(nil), []stuck.Type{widget}, nil)
}

var (
	oneServer       = watchState{open: 1, baseline: 1, servers: 1}
	severalServers  = watchState{open: 1, baseline: 1, servers: 3}
	goneTargets     = []controller.MissingTarget{{Description: "its release is uninstalled", Deleted: true}}
	notFoundTargets = []controller.MissingTarget{{Description: "nothing is called so"}}
	otherActors     = []controller.OtherActor{{Description: "deployment/argocd (may write all types)"}}
	unreachable     = []controller.OtherActor{{Description: "deployment/sleeper (may write all types)", NotRunning: true}}
	unlistedContent = []controller.OtherActor{{Description: "cronjob/sweep", NotExaminable: true}}
)

func TestNobodyIsLeft(t *testing.T) {
	tests := map[string]struct {
		sight  watchState
		traces []controller.MissingTarget
		others []controller.OtherActor
		known  *catalog.Entry
		want   bool
		doubt  bool
		gap    bool
	}{
		"no watcher, and no other actor":                       {sight: oneServer, want: true},
		"no watcher, other actors, and no clue":                {sight: oneServer, others: otherActors},
		"no watcher, other actors, and a clue to nothing":      {sight: oneServer, others: otherActors, traces: notFoundTargets, want: true, doubt: true},
		"no watcher, other actors, and it is known to be gone": {sight: oneServer, others: otherActors, traces: goneTargets, want: true},
		"no watcher, other actors, and what removes it is known": {
			sight: oneServer, others: otherActors, traces: notFoundTargets, known: &catalog.Entry{Project: "Widgets"}, want: true,
		},
		"no watcher, and what has the name of what removes it": {
			sight: oneServer, others: []controller.OtherActor{{Description: "deployment/controller", IsNamesake: true}}, traces: notFoundTargets,
			known: &catalog.Entry{Project: "Widgets"}, want: true, doubt: true,
		},
		"one that may be it is down": {sight: oneServer, others: unreachable, traces: notFoundTargets},
		"one that may do anything is down, and it is known to be gone": {
			sight: oneServer, others: unreachable, traces: goneTargets, want: true,
		},
		"one that should be it cannot be examined": {sight: oneServer, others: unlistedContent, traces: goneTargets},
		"one more watch, and it is known to be gone": {
			sight: watchState{open: 2, baseline: 1, servers: 1}, traces: goneTargets, want: true, doubt: true,
		},
		"one more watch, and nothing is known to be gone": {sight: watchState{open: 2, baseline: 1, servers: 1}, traces: notFoundTargets},
		"one more watch, and nothing points anywhere":     {sight: watchState{open: 2, baseline: 1, servers: 1}},
		"one more watch, gone, and others may":            {sight: watchState{open: 2, baseline: 1, servers: 1}, traces: goneTargets, others: otherActors},
		"two more watches":                                {sight: watchState{open: 3, baseline: 1, servers: 1}, traces: goneTargets},
		"one more watch at one of several API servers":    {sight: watchState{open: 2, baseline: 1, servers: 3}, traces: goneTargets},
		"somebody watches every type": {
			sight: watchState{open: 2, baseline: 2, servers: 1, custom: []int{2, 3, 0, 4}}, traces: notFoundTargets, want: true, doubt: true,
		},
		"somebody watches every type, and somebody this one": {
			sight: watchState{open: 3, baseline: 2, servers: 1, custom: []int{2, 3, 2}}, traces: notFoundTargets,
		},
		"somebody watches every type of Kubernetes alone": {
			sight: watchState{open: 2, baseline: 2, servers: 1, custom: []int{1, 2, 3}}, traces: notFoundTargets,
		},
		"somebody watches every type of Kubernetes, and there are few others": {
			sight: watchState{open: 2, baseline: 2, servers: 1, custom: []int{2, 2}}, traces: notFoundTargets,
		},
		"somebody watches the type that tells of the garbage collector": {
			sight: watchState{open: 2, baseline: 5, servers: 1, custom: []int{1, 2, 2}}, traces: notFoundTargets,
		},
		"a new type that somebody may watch before the garbage collector does": {
			sight: watchState{open: 1, baseline: 1, servers: 1, age: 80 * time.Second}, traces: notFoundTargets,
		},
		"a new type, and it is known to be gone": {
			sight: watchState{open: 1, baseline: 1, servers: 1, age: 80 * time.Second}, traces: goneTargets, want: true, doubt: true,
		},
		"a new type with two watches":         {sight: watchState{open: 2, baseline: 1, servers: 1, age: 80 * time.Second}, traces: goneTargets},
		"a new type that has no watch at all": {sight: watchState{baseline: 1, servers: 1, age: 10 * time.Second}, traces: notFoundTargets, want: true},
		"a type that is no longer new":        {sight: watchState{open: 1, baseline: 1, servers: 1, age: 100 * time.Second}, traces: notFoundTargets, want: true},
		"the only watch is not the garbage collector's": {
			sight: watchState{open: 1, baseline: 0, servers: 1}, traces: goneTargets,
		},
		"no watch at all": {sight: watchState{servers: 1}, want: true},
		"several API servers, and nothing is known to be gone": {sight: severalServers, traces: notFoundTargets, gap: true},
		"several API servers, and it is known to be gone":      {sight: severalServers, traces: goneTargets, want: true, doubt: true},
		"API servers whose leases are all stale": {
			sight: watchState{open: 1, baseline: 1, servers: 1, renewed: []time.Duration{2 * time.Minute, 3 * time.Minute}}, traces: notFoundTargets, gap: true,
		},
		"API servers whose leases are all stale, and it is known to be gone": {
			sight: watchState{open: 1, baseline: 1, servers: 1, renewed: []time.Duration{2 * time.Minute, 3 * time.Minute}}, traces: goneTargets, want: true, doubt: true,
		},
		"an API server without a lease": {
			sight: watchState{open: 1, baseline: 1, servers: 1, renewed: []time.Duration{}}, traces: notFoundTargets, gap: true,
		},
		"a type that no CRD defines, and it is known to be gone": {sight: watchState{servers: 1, aggregated: true}, traces: goneTargets, want: true, doubt: true},
		"several API servers behind one address": {
			sight: watchState{open: 1, baseline: 1, servers: 1, renewed: []time.Duration{time.Second, 9 * time.Second}}, traces: notFoundTargets, gap: true,
		},
		"an API server that has been replaced": {
			sight: watchState{open: 1, baseline: 1, servers: 1, renewed: []time.Duration{time.Second, 10 * time.Minute}}, traces: notFoundTargets, want: true,
		},
		"several API servers, gone, and others may": {sight: severalServers, traces: goneTargets, others: otherActors, gap: true},
		"a type that no CRD defines":                {sight: watchState{servers: 1, aggregated: true}, traces: notFoundTargets},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, dying := range []bool{false, true} {
				test.sight.namespaceDeleting = dying
				look := cause.ControllerGone.ByController
				var traces []controller.MissingTarget
				for _, each := range test.traces {
					if dying {
						each.Namespace = "shop"
					}
					traces = append(traces, each)
				}
				if dying {
					look = cause.ControllerDeletedWithNamespace.ByController
				}
				if dying && len(traces) == 0 {
					continue // nothing says that it lived there
				}
				view := test.sight.view(t)
				found := look(view, controller.Controller{
					Object: stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1"}, Finalizer: "example.com/cleanup",
					CatalogMatch: catalog.Match{}, MissingTargets: traces, OtherActors: test.others, NotInstalled: test.known, Complete: true,
				})
				if got := len(found) == 1; got != test.want {
					t.Errorf("in a namespace that is being deleted (%t): %v", dying, found)
				}
				if len(found) == 1 && (found[0].Doubt != "") != test.doubt {
					t.Errorf("in a namespace that is being deleted (%t), the doubt is %q", dying, found[0].Doubt)
				}
				if got := len(view.Gaps()) > 0; got != test.gap {
					t.Errorf("in a namespace that is being deleted (%t), gaps: %v", dying, view.Gaps())
				}
			}
		})
	}
}

// A controller that acted on the deletion and was uninstalled then is gone too, if nothing speaks against it.
func TestGoneAfterItActed(t *testing.T) {
	watched := watchState{open: 2, baseline: 1, servers: 1}
	for name, test := range map[string]struct {
		sight  watchState
		traces []controller.MissingTarget
		others []controller.OtherActor
		want   int
	}{
		"it was deleted, and no watch is open":      {sight: oneServer, traces: goneTargets, want: 1},
		"it was deleted, and a watch is open":       {sight: watched, traces: goneTargets},
		"it was deleted, and the type is new":       {sight: watchState{open: 1, baseline: 1, servers: 1, age: time.Minute}, traces: goneTargets},
		"it was deleted, and others may have acted": {sight: oneServer, traces: goneTargets, others: otherActors},
		"it was not found":                          {sight: oneServer, traces: notFoundTargets},
		"nothing is known of it":                    {sight: oneServer},
	} {
		t.Run(name, func(t *testing.T) {
			view := test.sight.view(t)
			deleted := view.Now().Add(-time.Hour)
			found := cause.ControllerGone.ByController(view, controller.Controller{
				Object:    stuck.Object{Type: widget, Namespace: "shop", Name: "w1", UID: "w1", DeletionTime: deleted},
				Finalizer: "example.com/cleanup", MissingTargets: test.traces, OtherActors: test.others, Complete: true,
				Setters: []cluster.FieldManager{{Name: "operator", LastWrite: deleted.Add(time.Minute)}},
			})
			if len(found) != test.want {
				t.Errorf("found %v", found)
			}
		})
	}
}
