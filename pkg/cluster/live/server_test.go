package live_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestNowIsTheServersTime(t *testing.T) {
	tests := map[string]struct {
		date string
		want time.Time
	}{
		"an hour ahead":                     {date: fakeapi.Now.Add(time.Hour).Format(http.TimeFormat), want: fakeapi.Now.Add(time.Hour)},
		"an hour behind":                    {date: fakeapi.Now.Add(-time.Hour).Format(http.TimeFormat), want: fakeapi.Now.Add(-time.Hour)},
		"a second ahead may be the journey": {date: fakeapi.Now.Add(time.Second).Format(http.TimeFormat), want: fakeapi.Now},
		"no date that can be read":          {date: "yesterday", want: fakeapi.Now},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := fakeapi.Start(t, fakeapi.Responses{"/version": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", test.date)
				fakeapi.Respond(`{"major":"1","minor":"37","gitVersion":"v1.37.1"}`)(w, r)
			}}).Server
			if !server.Now().Equal(fakeapi.Now) {
				t.Errorf("before any answer it is %s", server.Now())
			}
			if version, err := server.Version(t.Context()); err != nil || version != "v1.37.1" {
				t.Errorf("the version is %q, %v", version, err)
			}
			if !server.Now().Equal(test.want) {
				t.Errorf("it is %s, not %s", server.Now(), test.want)
			}
		})
	}
}

func TestTimesThatDifferAreNoticed(t *testing.T) {
	dates := []time.Time{fakeapi.Now, fakeapi.Now.Add(24 * time.Hour)}
	server := fakeapi.Start(t, fakeapi.Responses{"/version": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", dates[0].Format(http.TimeFormat))
		fakeapi.Respond(`{"gitVersion":"v1.37.1"}`)(w, r)
	}, "/metrics": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", dates[1].Format(http.TimeFormat))
		fakeapi.Respond("")(w, r)
	}}).Server
	if _, err := server.Version(t.Context()); err != nil || server.ClockSpread() != 0 {
		t.Fatalf("after one answer the times differ by %s, %v", server.ClockSpread(), err)
	}
	_, _ = server.Metrics(t.Context()) // the time is what counts
	if got := server.ClockSpread(); got != 24*time.Hour {
		t.Errorf("the times differ by %s", got)
	}
	server.ResetClockSpread()
	if !server.Now().Equal(dates[1]) {
		t.Errorf("after the reset it is %s", server.Now())
	}
	if _, err := server.Version(t.Context()); err != nil || server.ClockSpread() != 0 {
		t.Errorf("after the reset the times differ by %s, %v", server.ClockSpread(), err)
	}
}

func TestSecretsAreNotRead(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{})
	if u, err := fake.Server.Get(t.Context(), fakeapi.Secret, "shop", "token"); err == nil || !strings.Contains(err.Error(), "never read") {
		t.Errorf("a secret was read: %v, %v", u, err)
	}
	ignore := func(unstructured.Unstructured) {}
	if err := fake.Server.List(t.Context(), fakeapi.Secret, cluster.Selection{}, ignore); err == nil || !strings.Contains(err.Error(), "never read") {
		t.Errorf("secrets were read: %v", err)
	}
	if asked := fake.Requests(); len(asked) > 0 {
		t.Errorf("the server was asked for %v", asked)
	}
}

// The API server leaves a Secret's data out of what is asked for as metadata,
// and only of that.
func TestScansAskForMetadataAlone(t *testing.T) {
	const all, one = "/api/v1/namespaces/shop/secrets", "/api/v1/namespaces/shop/secrets/token"
	fake := fakeapi.Start(t, fakeapi.Responses{all: fakeapi.RespondList(fakeapi.Object("shop", "token")), one: fakeapi.RespondJSON(fakeapi.Object("shop", "token"))})
	if err := fake.Server.Scan(t.Context(), fakeapi.Secret, cluster.Selection{Namespace: "shop"}, func(stuck.Object) {}); err != nil {
		t.Error(err)
	}
	if _, err := fake.Server.Metadata(t.Context(), fakeapi.Secret, "shop", "token"); err != nil {
		t.Error(err)
	}
	for path, kind := range map[string]string{all: "PartialObjectMetadataList", one: "PartialObjectMetadata"} {
		accepts := fake.Accepts(path)
		if len(accepts) != 1 {
			t.Fatalf("%s was asked for %d times", path, len(accepts))
		}
		for _, offer := range strings.Split(accepts[0], ",") {
			if !strings.Contains(offer, ";as="+kind+";") && offer != "application/json" {
				t.Errorf("%s would be taken as %q", path, offer)
			}
		}
		if !strings.HasPrefix(accepts[0], "application/vnd.kubernetes.protobuf;as="+kind) {
			t.Errorf("%s would rather be taken as %q", path, accepts[0])
		}
	}
}

// Whole objects come in pages too.
func TestListReadsEveryPage(t *testing.T) {
	fake := fakeapi.Start(t, fakeapi.Responses{"/api/v1/namespaces/shop/pods": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") != "500" || r.URL.Query().Get("labelSelector") != "app=web" {
			t.Errorf("the query is %s", r.URL.RawQuery)
		}
		page := fakeapi.ListOf("more", fakeapi.Object("shop", "a"))
		if r.URL.Query().Get("continue") == "more" {
			page = fakeapi.ListOf("", fakeapi.Object("shop", "b"))
		}
		fakeapi.RespondJSON(page)(w, r)
	}})
	var got []string
	err := fake.Server.List(t.Context(), fakeapi.Pod, cluster.Selection{Namespace: "shop", Labels: "app=web"}, func(u unstructured.Unstructured) {
		got = append(got, u.GetName())
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func TestGarbageIsAnError(t *testing.T) {
	for name, body := range map[string]string{
		"not JSON":             `<html>log in</html>`,
		"cut short":            `{"kind":"PartialObjectMetadataList","items":[{"meta`,
		"a list of nothing":    `null`,
		"another shape":        `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":"many"}`,
		"objects of no object": `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[3]}`,
		"nothing at all":       ``,
	} {
		t.Run(name, func(t *testing.T) {
			fake := fakeapi.Start(t, fakeapi.Responses{
				"/api/v1/namespaces/shop/pods":   fakeapi.Respond(body),
				"/api/v1/namespaces/shop/pods/a": fakeapi.Respond(body),
				"/version":                       fakeapi.Respond(body),
			})
			sel := cluster.Selection{Namespace: "shop"}
			if err := fake.Server.Scan(t.Context(), fakeapi.Pod, sel, func(stuck.Object) {}); err == nil {
				t.Error("a scan takes it for an answer")
			}
			if err := fake.Server.List(t.Context(), fakeapi.Pod, sel, func(unstructured.Unstructured) {}); err == nil {
				t.Error("a list takes it for an answer")
			}
			if strings.HasPrefix(body, `{"kind"`) && json.Valid([]byte(body)) {
				return // an object of some kind, if not of the one that was asked for
			}
			if u, err := fake.Server.Get(t.Context(), fakeapi.Pod, "shop", "a"); err == nil {
				t.Errorf("a get takes it for an answer: %v", u)
			}
			if m, err := fake.Server.Metadata(t.Context(), fakeapi.Pod, "shop", "a"); err == nil {
				t.Errorf("metadata takes it for an answer: %v", m)
			}
		})
	}
}
