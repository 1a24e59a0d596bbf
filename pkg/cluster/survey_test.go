package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// expiring gives a first page, and then says that the rest of the list is no
// longer to be had. Asked for everything at once, it gives that.
func expiring(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case query.Has("continue"):
		fakeapi.RespondStatus(http.StatusGone, metav1.StatusReasonExpired)(w, r)
	case query.Has("limit"):
		fakeapi.RespondJSON(fakeapi.ListOf("more", fakeapi.Object("shop", "a"), fakeapi.Object("shop", "b", fakeapi.NotDeleting)))(w, r)
	default:
		fakeapi.RespondList(fakeapi.Object("shop", "a"), fakeapi.Object("shop", "b", fakeapi.NotDeleting), fakeapi.Object("shop", "c"), fakeapi.Object("shop", "d", fakeapi.NotDeleting))(w, r)
	}
}

func TestExpiredListIsReadAnewInOneGo(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{"/api/v1/pods": expiring})
	survey, err := cluster.SurveyRequest{
		Types: []stuck.Type{fakeapi.Pod}, Keep: fakeapi.Deleted, Count: func(string) bool { return true },
	}.Run(t.Context(), fake.Server)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c"}, fakeapi.Names(survey.Objects)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	left := map[cluster.NamespacedType]int{{Namespace: "shop", Type: cluster.TypeNameOf(fakeapi.Pod)}: 2}
	if diff := cmp.Diff(left, survey.NotDeleted); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	if len(survey.Gaps) > 0 {
		t.Errorf("gaps: %v", survey.Gaps)
	}
}

func TestWhatCannotBeListedIsAGapAndStopsNothing(t *testing.T) {
	const widgets = "/apis/example.com/v1/widgets"
	stale := fakeapi.Widget
	stale.Stale = true
	tests := map[string]struct {
		of     stuck.Type
		script fakeapi.Responses
		// patience is what an answer may take; the others come at once.
		patience time.Duration
		want     []stuck.Gap
	}{
		"forbidden": {
			of:     fakeapi.Widget,
			script: fakeapi.Responses{widgets: fakeapi.RespondStatus(http.StatusForbidden, metav1.StatusReasonForbidden)},
			want: []stuck.Gap{{
				Source: "widgets.example.com", Error: "forbidden",
				MissingPermission: &stuck.Permission{Verb: "list", Group: "example.com", Resource: "widgets"},
			}},
		},
		"the server fails": {
			of:     fakeapi.Widget,
			script: fakeapi.Responses{widgets: fakeapi.RespondStatus(http.StatusInternalServerError, metav1.StatusReasonInternalError)},
			want:   []stuck.Gap{{Source: "widgets.example.com", Error: "internal server error"}},
		},
		"nobody serves it": {
			of:     fakeapi.Widget,
			script: fakeapi.Responses{widgets: fakeapi.RespondStatus(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable)},
			want:   []stuck.Gap{{Source: "widgets.example.com", Error: "service unavailable"}},
		},
		"no answer": {
			of:       fakeapi.Widget,
			script:   fakeapi.Responses{widgets: fakeapi.RespondNever},
			patience: 3 * time.Second,
			want:     []stuck.Gap{{Source: "widgets.example.com", Error: "no answer in time"}},
		},
		"the rest of the list expires twice": {
			of: fakeapi.Widget,
			script: fakeapi.Responses{widgets: func(w http.ResponseWriter, r *http.Request) {
				fakeapi.RespondStatus(http.StatusGone, metav1.StatusReasonExpired)(w, r)
			}},
			want: []stuck.Gap{{Source: "widgets.example.com", Error: "gone"}},
		},
		"a conversion webhook fails behind words about corruption": {
			of: fakeapi.Widget,
			script: fakeapi.Responses{widgets: respondCode(http.StatusInternalServerError, `{"kind":"Status","status":"Failure","code":500,
				"message":"object is corrupt: conversion webhook for example.com/v1, Kind=Widget failed: no endpoints"}`)},
			want: []stuck.Gap{{
				Source: "widgets.example.com", Error: "conversion webhook for example.com/v1, Kind=Widget failed: no endpoints",
			}},
		},
		"a type that is not found because its server is not": {
			of:     stale,
			script: fakeapi.Responses{widgets: fakeapi.RespondStatus(http.StatusNotFound, metav1.StatusReasonNotFound)},
			want:   []stuck.Gap{{Source: "widgets.example.com", Error: "not found"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.script["/api/v1/pods"] = fakeapi.RespondList(fakeapi.Object("shop", "web"))
			fake := fakeapi.Start(t, test.script, func(config *rest.Config) { config.Timeout = test.patience })
			progress, deleting := 0, 0
			survey, err := cluster.SurveyRequest{
				Types: []stuck.Type{test.of, fakeapi.Pod}, Keep: fakeapi.Deleted,
				Progress: func(done, _, found int) { progress, deleting = max(progress, done), max(deleting, found) },
			}.Run(t.Context(), fake.Server)
			if err != nil {
				t.Fatal(err)
			}
			for i := range test.want {
				test.want[i].Type = test.of.GVR().GroupResource()
			}
			if diff := cmp.Diff(test.want, survey.Gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if len(survey.Failed) != len(test.want) {
				t.Errorf("%d types failed", len(survey.Failed))
			}
			if diff := cmp.Diff([]string{"web"}, fakeapi.Names(survey.Objects)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if progress != 2 || deleting != 1 {
				t.Errorf("%d types were said to be done, with %d objects", progress, deleting)
			}
		})
	}
}

func respondCode(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// What two types serve, as Ingresses once were, is one object.
func TestObjectsOfTwoTypesCountOnce(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/apis/example.com/v1/widgets": fakeapi.RespondList(fakeapi.Object("shop", "a"), fakeapi.Object("shop", "b")),
		"/apis/example.com/v1/gadgets": fakeapi.RespondList(fakeapi.Object("shop", "a"), fakeapi.Object("shop", "c")),
		// Objects of some extension servers have no uid. They are not one.
		"/apis/example.com/v1/gizmos": fakeapi.RespondList(fakeapi.Object("shop", "x", withoutUID), fakeapi.Object("shop", "y", withoutUID)),
	})
	survey, err := cluster.SurveyRequest{Types: []stuck.Type{fakeapi.Widget, fakeapi.Gadget, fakeapi.Gizmo}, Keep: fakeapi.Deleted}.Run(t.Context(), fake.Server)
	if err != nil {
		t.Fatal(err)
	}
	got := fakeapi.Names(survey.Objects)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "b", "c", "x", "y"}, got); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func withoutUID(m *metav1.PartialObjectMetadata) { m.UID = "" }

func TestCancelledPassEndsWithItsError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/apis/example.com/v1/widgets": func(w http.ResponseWriter, r *http.Request) {
			cancel(errors.New("^C"))
			fakeapi.RespondNever(w, r)
		},
	})
	types := []stuck.Type{fakeapi.Widget}
	for range 10 * cluster.MaxConcurrentRequests {
		types = append(types, fakeapi.Widget)
	}
	err := withTimeout(t, func() error {
		_, err := cluster.SurveyRequest{Types: types, Keep: fakeapi.Deleted}.Run(ctx, fake.Server)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

var errTimeout = errors.New("it went on for longer than anybody waits")

// withTimeout is what do returns, if it does so before a request would have been
// given up.
func withTimeout(t *testing.T, do func() error) error {
	limit, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	over := make(chan error, 1)
	go func() { over <- do() }()
	select {
	case err := <-over:
		return err
	case <-limit.Done():
		return errTimeout
	}
}

// However many passes and questions are under way, the server sees a bounded
// number of requests.
func TestRequestsInFlightAreBounded(t *testing.T) {
	arrived, leave := make(chan struct{}), make(chan struct{})
	fake := fakeapi.Start(t, fakeapi.Responses{
		"/api/v1/namespaces/shop/pods/web": fakeapi.RespondJSON(fakeapi.Object("shop", "web")),
		"/apis/example.com/v1/widgets": func(w http.ResponseWriter, r *http.Request) {
			select {
			case arrived <- struct{}{}:
				<-leave
			case <-leave:
			}
			fakeapi.RespondList()(w, r)
		},
	})
	var group errgroup.Group
	group.Go(func() error {
		types := slices.Repeat([]stuck.Type{fakeapi.Widget}, 2*cluster.MaxConcurrentRequests)
		_, err := cluster.SurveyRequest{Types: types, Keep: fakeapi.Deleted}.Run(t.Context(), fake.Server)
		return err
	})
	for range cluster.MaxConcurrentRequests {
		<-arrived
	}
	hasty, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	err := withTimeout(t, func() error {
		_, err := fake.Server.Metadata(hasty, fakeapi.Pod, "shop", "web")
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more than %d was answered: %v", cluster.MaxConcurrentRequests, err)
	}
	if got := len(fake.Requests()); got != cluster.MaxConcurrentRequests {
		t.Errorf("%d requests were in flight, not %d", got, cluster.MaxConcurrentRequests)
	}
	close(leave)
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := fake.Server.Metadata(t.Context(), fakeapi.Pod, "shop", "web"); err != nil {
		t.Errorf("once they are through it is not answered: %v", err)
	}
}
