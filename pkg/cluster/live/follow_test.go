package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
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
