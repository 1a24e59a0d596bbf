package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// event is a line of a watch.
func event(kind string, object any) string {
	line, err := json.Marshal(map[string]any{"type": kind, "object": object})
	if err != nil {
		panic(err)
	}
	return string(line) + "\n"
}

func atResourceVersion(version string) func(*metav1.PartialObjectMetadata) {
	return func(m *metav1.PartialObjectMetadata) { m.ResourceVersion = version }
}

// A watch begins where the scan ended. One that has fallen behind lists again,
// and reports what it does not find as removed.
func TestFollowMissesNothing(t *testing.T) {
	lists, watched := 0, []string{}
	fake := fakeapi.Start(t, fakeapi.Responses{"/apis/example.com/v1/widgets": func(w http.ResponseWriter, r *http.Request) {
		from := r.URL.Query().Get("resourceVersion")
		if !r.URL.Query().Has("watch") {
			lists++
			list := fakeapi.ListOf("", fakeapi.Object("shop", fmt.Sprintf("listed-%d", lists)), fakeapi.Object("shop", "alive", fakeapi.NotDeleting))
			list.ResourceVersion = fmt.Sprint(100 * lists)
			fakeapi.RespondJSON(list)(w, r)
			return
		}
		watched = append(watched, from)
		switch from {
		case "100":
			fakeapi.Respond(event("MODIFIED", fakeapi.Object("shop", "a", atResourceVersion("101")))+event("DELETED", fakeapi.Object("shop", "a", atResourceVersion("102")))+
				event("BOOKMARK", fakeapi.Object("", "", atResourceVersion("150"))))(w, r)
		case "150":
			fakeapi.Respond(event("ERROR", metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status:   metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired, Message: "too old",
			}))(w, r)
		default:
			fakeapi.RespondNever(w, r)
		}
	}})
	if _, err := scan(t.Context(), fake.Server, fakeapi.Widget); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var told []string
	fake.Server.Follow(ctx, []live.TypeSelection{{Type: fakeapi.Widget}}, func(c live.Change) {
		told = append(told, fmt.Sprintf("%s removed=%t relisted=%t %v", c.Object.Name, c.Removed, c.Relisted, fakeapi.Names(c.Deleting)))
		if c.Relisted {
			stop()
		}
	}, func(_ stuck.Type, err error) { t.Errorf("it was refused: %v", err) })
	want := []string{"a removed=false relisted=false []", "a removed=true relisted=false []", " removed=false relisted=true [listed-2]"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"100", "150"}, watched[:2]); diff != "" {
		t.Errorf("watched from (-want +got):\n%s", diff)
	}
}

// What cannot be watched is said once. It is tried again where that may help.
func TestFollowSaysWhatItCannotWatch(t *testing.T) {
	const triesOfOneList = 3
	for reason, test := range map[metav1.StatusReason]struct{ code, want int }{
		metav1.StatusReasonForbidden:     {code: http.StatusForbidden, want: 1},
		metav1.StatusReasonInternalError: {code: http.StatusInternalServerError, want: triesOfOneList + 1},
	} {
		t.Run(string(reason), func(t *testing.T) {
			times := 0
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			fake := fakeapi.Start(t, fakeapi.Responses{"/apis/example.com/v1/widgets": func(w http.ResponseWriter, r *http.Request) {
				if times++; times > triesOfOneList {
					stop()
				}
				fakeapi.RespondStatus(test.code, reason)(w, r)
			}})
			said := 0
			fake.Server.Follow(ctx, []live.TypeSelection{{Type: fakeapi.Widget}}, func(live.Change) { t.Error("there is a change") }, func(of stuck.Type, err error) {
				if said++; of.GVR() != fakeapi.Widget.GVR() || err == nil {
					t.Errorf("%s: %v", of, err)
				}
			})
			if said != 1 || times != test.want {
				t.Errorf("it was said %d times after %d tries", said, times)
			}
		})
	}
}

// A server that cannot be reached is tried again soon, and one that answers with errors is spared.
func TestFollowRetryPauses(t *testing.T) {
	for name, test := range map[string]struct {
		err   error
		pause time.Duration
		want  time.Duration
	}{
		"the first":       {errors.New("connection refused"), time.Second, time.Second},
		"unreachable":     {fmt.Errorf("watching: %w", errors.New("connection refused")), time.Hour, 5 * time.Second},
		"too busy":        {apierrors.NewTooManyRequests("slow down", 1), time.Hour, time.Minute},
		"it ends at once": {nil, time.Hour, time.Minute},
	} {
		if got := live.LimitRetryPause(test.pause, test.err); got != test.want {
			t.Errorf("%s: %s, not %s", name, got, test.want)
		}
	}
}

// Whoever asks for them is told of the objects too that nobody has deleted.
func TestFollowReportsWhatIsNotDeleted(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{"/apis/example.com/v1/widgets": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("watch") {
			fakeapi.RespondNever(w, r)
			return
		}
		list := fakeapi.ListOf("", fakeapi.Object("shop", "deleted"), fakeapi.Object("shop", "alive", fakeapi.NotDeleting))
		list.ResourceVersion = "1"
		fakeapi.RespondJSON(list)(w, r)
	}})
	for _, with := range []bool{true, false} {
		ctx, stop := context.WithCancel(t.Context())
		var got []string
		selection := live.TypeSelection{Type: fakeapi.Widget, Selection: cluster.Selection{Name: fmt.Sprint(with)}, WithNotDeleted: with}
		fake.Server.Follow(ctx, []live.TypeSelection{selection}, func(c live.Change) {
			got = append(fakeapi.Names(c.Deleting), fakeapi.Names(c.NotDeleted)...)
			stop()
		}, func(_ stuck.Type, err error) { t.Error(err) })
		if want := []string{"deleted", "alive"}[:1+len(got)/2]; !slices.Equal(got, want) || len(got) == 2 != with {
			t.Errorf("with=%t: %q", with, got)
		}
	}
}
