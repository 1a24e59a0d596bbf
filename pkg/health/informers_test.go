package health

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apitypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster/live"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// responder is what an API server answers, and when. It knows nothing of
// Kubernetes: what a healthy one does is tested on a real one.
type responder func(*http.Request) (code int, body any)

func (s responder) RoundTrip(r *http.Request) (*http.Response, error) {
	code, body := s(r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(body)
	return &http.Response{
		StatusCode: code, Request: r, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(text))),
	}, err
}

// newServerChecker is an examination of a server that follows the script, for ten seconds.
func newServerChecker(t *testing.T, s responder) *checker {
	t.Helper()
	begun := time.Now() //nolint:forbidigo // the clock of the test's bubble
	clock := func() time.Time { return begun.Add(time.Since(begun)) }
	server, err := live.Connect(&rest.Config{Host: "http://api.example.com", Transport: s}, clock)
	if err != nil {
		t.Fatal(err)
	}
	return &checker{Options: Options{Duration: 10 * time.Second, Clock: clock}, server: server}
}

// objectAt is an object at some version.
func objectAt(uid, version string) metav1.PartialObjectMetadata {
	return metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "first", UID: apitypes.UID(uid), ResourceVersion: version},
	}
}

func objectList(objects ...metav1.PartialObjectMetadata) metav1.PartialObjectMetadataList {
	return metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "9"}, Items: objects,
	}
}

func forbiddenStatus(verb string) metav1.Status {
	return metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonForbidden, Message: "no " + verb}
}

func widgetType(n int) stuck.Type {
	name := fmt.Sprintf("widgets%d", n)
	return stuck.Type{Group: "example.com", Version: "v1", Resource: name, Kind: name, Namespaced: true, Listable: true, Watchable: true}
}

// Only an object that stays as it is, and that the informer does not get, shows
// that the informer is behind.
func TestWhatChangesMeanwhileProvesNoInformerBehind(t *testing.T) {
	for name, test := range map[string]struct {
		knows string // the version in the informer's store
		again any    // what the server holds once the informer has had its time
		want  bool
	}{
		"it has it":                  {knows: "5", again: objectList(objectAt("u", "5"))},
		"it has a later one":         {knows: "6", again: objectList(objectAt("u", "5"))},
		"it never gets it":           {knows: "4", again: objectList(objectAt("u", "5")), want: true},
		"it never received it":       {again: objectList(objectAt("u", "5")), want: true},
		"the object changed":         {knows: "4", again: objectList(objectAt("u", "6"))},
		"another took its place":     {knows: "4", again: objectList(objectAt("v", "5"))},
		"the object was deleted":     {knows: "4", again: objectList()},
		"it cannot be read again":    {knows: "4", again: forbiddenStatus("list")},
		"versions without any order": {knows: "four", again: objectList(objectAt("u", "5"))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				c := newServerChecker(t, func(*http.Request) (int, any) {
					if asked++; asked == 1 {
						return http.StatusOK, objectList(objectAt("u", "5"))
					}
					if _, refused := test.again.(metav1.Status); refused {
						return http.StatusForbidden, test.again
					}
					return http.StatusOK, test.again
				})
				i := &informerResult{Type: widgetType(0)}
				informer := c.newInformer(i.Type, i)
				if known := objectAt("u", test.knows); test.knows != "" {
					if err := informer.GetStore().Add(&known); err != nil {
						t.Fatal(err)
					}
				}
				c.compareWithServer(t.Context(), informer, i)
				if behind := i.Behind != ""; behind != test.want {
					t.Errorf("it is said to be behind: %t: %s", behind, i.Behind)
				}
			})
		})
	}
}

// Types that take long to be answered cost the others none of their own time.
func TestEachInformerHasAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := fmt.Sprintf("/widgets%d", cluster.MaxConcurrentRequests)
		c := newServerChecker(t, func(r *http.Request) (int, any) {
			switch {
			case r.URL.Query().Get("watch") == "true" && r.URL.Query().Get("sendInitialEvents") == "":
				<-r.Context().Done()
			case r.URL.Query().Get("watch") == "true":
				return http.StatusForbidden, forbiddenStatus("stream")
			case r.URL.Query().Get("limit") == "1": // which compare asks for
			case strings.HasSuffix(r.URL.Path, slow):
				select {
				case <-time.After(9 * time.Second):
				case <-r.Context().Done():
				}
			default:
				<-r.Context().Done()
			}
			return http.StatusOK, objectList()
		})
		// As many as get a turn at once are never answered; the last comes after them.
		var batch []listResult
		for n := range cluster.MaxConcurrentRequests + 1 {
			batch = append(batch, listResult{Type: widgetType(n)})
		}
		begun := c.Clock()
		all := c.runInformers(t.Context(), batch, newTypes(nil), c.Duration)
		if took := c.Clock().Sub(begun); took > c.Duration+openTimeout {
			t.Errorf("the last waited for the others: all took %s", took)
		}
		for n, i := range all {
			want := time.Duration(0)
			if n == cluster.MaxConcurrentRequests {
				want = 9 * time.Second
			}
			if i.SyncDuration.Round(time.Second) != want {
				t.Errorf("%s is said to be in sync after %s, not %s", i.Type, i.SyncDuration, want)
			}
		}
	})
}

// That the examination ends its own requests is no error of theirs, and is not the last
// that is heard of them.
func TestOurOwnEndIsNoEvidence(t *testing.T) {
	for name, test := range map[string]struct {
		fails int // how many watches fail, before one stays open and is never answered
		want  string
	}{
		"a healthy watch":           {0, ""},
		"a server that died":        {1, "etcd is gone"},
		"a server that stayed dead": {2, "etcd is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := 0
				c := newServerChecker(t, func(r *http.Request) (int, any) {
					switch {
					case r.URL.Query().Get("sendInitialEvents") != "":
						return http.StatusForbidden, forbiddenStatus("stream")
					case r.URL.Query().Get("watch") == "true" && failed < test.fails:
						failed++
						return http.StatusInternalServerError, metav1.Status{
							TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
							Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: "etcd is gone",
						}
					case r.URL.Query().Get("watch") == "true", failed > 0:
						<-r.Context().Done()
					}
					select { // an answer takes some time
					case <-time.After(time.Millisecond):
					case <-r.Context().Done():
					}
					return http.StatusOK, objectList()
				})
				i := c.runInformers(t.Context(), []listResult{{Type: widgetType(0)}}, newTypes(nil), c.Duration)[0]
				last := ""
				if len(i.Errors) > 0 {
					last = i.Errors[len(i.Errors)-1].Error()
				}
				if !strings.Contains(last, test.want) || (last == "") != (test.want == "") || strings.Contains(last, "context") {
					t.Errorf("the last of %d errors is %q, not %q", len(i.Errors), last, test.want)
				}
				if problem, bad := c.informerProblem(i); bad != (test.fails > 0) {
					t.Errorf("the informer has a problem: %t: %s", bad, problem.Message)
				}
			})
		})
	}
}
