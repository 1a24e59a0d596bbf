package live_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// scan is the names of what a scan visits.
func scan(ctx context.Context, server *live.Server, of stuck.Type) ([]string, error) {
	var seen []string
	err := server.Scan(ctx, of, cluster.Selection{}, func(o stuck.Object) { seen = append(seen, o.Name) })
	return seen, err
}

// Servers that list from their cache are asked for long pages, all others for
// those that kubectl asks for.
func TestPagesAreAsLongAsTheServerDoesWell(t *testing.T) {
	for version, want := range map[string]string{
		"v1.37.1": "1000000", "v1.34.0-eks-1a2b3c": "1000000", "v1.33.5": "500", "v1.9.0": "500", "unheard of": "500", "": "500",
	} {
		t.Run(version, func(t *testing.T) {
			var limits []string
			lines := fakeapi.Responses{"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
				limits = append(limits, r.URL.Query().Get("limit"))
				if r.URL.Query().Has("resourceVersion") {
					t.Error("an old state would do")
				}
				if !r.URL.Query().Has("continue") {
					fakeapi.RespondJSON(fakeapi.ListOf("more", fakeapi.Object("shop", "a")))(w, r)
					return
				}
				fakeapi.RespondJSON(fakeapi.ListOf("", fakeapi.Object("shop", "b")))(w, r)
			}}
			if version != "" {
				lines["/version"] = fakeapi.Respond(fmt.Sprintf(`{"gitVersion":%q}`, version))
			}
			seen, err := scan(t.Context(), fakeapi.Start(t, lines).Server, fakeapi.Pod)
			if diff := cmp.Diff([]string{"a", "b"}, seen); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
			if diff := cmp.Diff([]string{want, want}, limits); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
		})
	}
}

// To compress is work for the server, and pays only where the way is long.
func TestServersThatAreFarOffCompress(t *testing.T) {
	for name, test := range map[string]struct {
		takes  time.Duration
		change func(*rest.Config)
		want   []string
	}{
		"near":                     {takes: time.Millisecond, want: []string{"identity"}},
		"far":                      {takes: 30 * time.Millisecond, want: []string{"gzip"}},
		"far, and compression off": {takes: 30 * time.Millisecond, change: func(c *rest.Config) { c.DisableCompression = true }, want: []string{"identity"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			var limit string
			var passed atomic.Int64
			fake := fakeapi.StartWithClock(t, func() time.Time { return fakeapi.Now.Add(time.Duration(passed.Load())) }, fakeapi.Responses{
				"/version": func(w http.ResponseWriter, r *http.Request) {
					passed.Add(int64(test.takes))
					fakeapi.Respond(`{"gitVersion":"v1.37.1"}`)(w, r)
				},
				"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
					asked, limit = r.Header["Accept-Encoding"], r.URL.Query().Get("limit")
					fakeapi.RespondList()(w, r)
				},
			}, test.change)
			if _, err := scan(t.Context(), fake.Server, fakeapi.Pod); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(test.want, asked); diff != "" {
				t.Errorf("Accept-Encoding (-want +got):\n%s", diff)
			}
			if whole := test.takes < 10*time.Millisecond; whole != (limit == "1000000") {
				t.Errorf("the limit is %s", limit)
			}
		})
	}
}

// A server that has too much to do says when to come back.
func TestBusyServerIsAskedAgainWhenItSays(t *testing.T) {
	times := 0
	fake := fakeapi.Start(t, fakeapi.Responses{"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
		if times++; times < 3 {
			w.Header().Set("Retry-After", "0")
			fakeapi.RespondStatus(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests)(w, r)
			return
		}
		fakeapi.RespondList(fakeapi.Object("shop", "a"))(w, r)
	}})
	seen, err := scan(t.Context(), fake.Server, fakeapi.Pod)
	if err != nil || !slices.Equal(seen, []string{"a"}) || times != 3 {
		t.Errorf("after %d times it saw %v, %v", times, seen, err)
	}
}

// The API server says what is wrong in the form that was asked for.
func TestErrorsAreReadInProtobufToo(t *testing.T) {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "no"}
	raw, err := status.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Status"}, Raw: raw}
	body, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	fake := fakeapi.Start(t, fakeapi.Responses{"/api/v1/pods": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write(append([]byte("k8s\x00"), body...))
	}})
	if _, err := scan(t.Context(), fake.Server, fakeapi.Pod); !apierrors.IsForbidden(err) || err.Error() != "no" {
		t.Errorf("the error is %v", err)
	}
}

// What was seen before a connection broke is seen again, and counts once.
func TestListThatBreaksOffIsReadAnew(t *testing.T) {
	times := 0
	fake := fakeapi.Start(t, fakeapi.Responses{"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
		if times++; times > 1 {
			fakeapi.RespondList(fakeapi.Object("shop", "a"), fakeapi.Object("shop", "b"))(w, r)
			return
		}
		whole, _, _ := strings.Cut(`{"kind":"PodList","items":[{"metadata":{"name":"a","namespace":"shop"}},{"meta|`, "|")
		fakeapi.Respond(whole)(w, r)
	}})
	survey, err := cluster.SurveyRequest{Types: []stuck.Type{fakeapi.Pod}, Keep: func(stuck.Object) bool { return true }}.Run(t.Context(), fake.Server)
	if diff := cmp.Diff([]string{"a", "b"}, fakeapi.Names(survey.Objects)); err != nil || len(survey.Gaps) > 0 || diff != "" {
		t.Errorf("%v, %v\n%s", err, survey.Gaps, diff)
	}
}

// slowTransport answers with a list whose bytes come one by one, and may stop coming.
type slowTransport struct {
	pause  time.Duration
	stalls bool
}

func (s slowTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"kind":"PodList","items":[]}`
	if r.URL.Path == "/version" {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(`{}`)), Request: r}, nil
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(&slowBody{slowTransport: s, ctx: r.Context(), unsent: []byte(body)}), Request: r}, nil
}

type slowBody struct {
	slowTransport
	ctx    context.Context
	unsent []byte
}

func (d *slowBody) Read(p []byte) (int, error) {
	if d.stalls && len(d.unsent) < 10 {
		<-d.ctx.Done()
		return 0, d.ctx.Err()
	}
	select {
	case <-time.After(d.pause):
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
	n, err := io.LimitReader(bytes.NewReader(d.unsent), 1).Read(p)
	d.unsent = d.unsent[n:]
	return n, err
}

// A list may take longer than another answer while something of it arrives, but
// not for as long as somebody sends a byte now and then.
func TestScanEndsWithSilenceOrDripping(t *testing.T) {
	for name, test := range map[string]struct {
		slow slowTransport
		want error
	}{
		"slow":       {slow: slowTransport{pause: 3 * time.Second}},
		"dripping":   {slow: slowTransport{pause: 5 * time.Second}, want: context.DeadlineExceeded},
		"silent":     {slow: slowTransport{stalls: true}, want: context.DeadlineExceeded},
		"as good as": {slow: slowTransport{pause: 50 * time.Second}, want: context.DeadlineExceeded},
		"steady":     {slow: slowTransport{pause: time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, err := live.Connect(&rest.Config{Host: "http://api.example.com", Transport: test.slow}, func() time.Time { return fakeapi.Now })
				if err != nil {
					t.Fatal(err)
				}
				if _, err := scan(t.Context(), server, fakeapi.Pod); !errors.Is(err, test.want) {
					t.Errorf("the error is %v, not %v", err, test.want)
				}
			})
		})
	}
}
