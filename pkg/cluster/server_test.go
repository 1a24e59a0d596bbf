package cluster_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

func TestNowIsTheServersTime(t *testing.T) {
	tests := map[string]struct {
		date string
		want time.Time
	}{
		"an hour ahead":                     {date: now.Add(time.Hour).Format(http.TimeFormat), want: now.Add(time.Hour)},
		"an hour behind":                    {date: now.Add(-time.Hour).Format(http.TimeFormat), want: now.Add(-time.Hour)},
		"a second ahead may be the journey": {date: now.Add(time.Second).Format(http.TimeFormat), want: now},
		"no date that can be read":          {date: "yesterday", want: now},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := startFake(t, fakeResponses{"/version": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Date", test.date)
				respond(`{"major":"1","minor":"37","gitVersion":"v1.37.1"}`)(w, r)
			}}).server
			if !server.Now().Equal(now) {
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

func TestSecretsAreNotRead(t *testing.T) {
	fake := startFake(t, fakeResponses{})
	if u, err := fake.server.Get(t.Context(), secret, "shop", "token"); err == nil || !strings.Contains(err.Error(), "never read") {
		t.Errorf("a secret was read: %v, %v", u, err)
	}
	ignore := func(unstructured.Unstructured) {}
	if err := fake.server.List(t.Context(), secret, cluster.Selection{}, ignore); err == nil || !strings.Contains(err.Error(), "never read") {
		t.Errorf("secrets were read: %v", err)
	}
	if asked := fake.requests(); len(asked) > 0 {
		t.Errorf("the server was asked for %v", asked)
	}
}

// The API server leaves a Secret's data out of what is asked for as metadata,
// and only of that.
func TestScansAskForMetadataAlone(t *testing.T) {
	const all, one = "/api/v1/namespaces/shop/secrets", "/api/v1/namespaces/shop/secrets/token"
	fake := startFake(t, fakeResponses{all: respondList(object("shop", "token")), one: respondJSON(object("shop", "token"))})
	if err := fake.server.Scan(t.Context(), secret, cluster.Selection{Namespace: "shop"}, func(stuck.Object) {}); err != nil {
		t.Error(err)
	}
	if _, err := fake.server.Metadata(t.Context(), secret, "shop", "token"); err != nil {
		t.Error(err)
	}
	for path, kind := range map[string]string{all: "PartialObjectMetadataList", one: "PartialObjectMetadata"} {
		accepts := fake.accepts(path)
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
	fake := startFake(t, fakeResponses{"/api/v1/namespaces/shop/pods": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("limit") != "500" || r.URL.Query().Get("labelSelector") != "app=web" {
			t.Errorf("the query is %s", r.URL.RawQuery)
		}
		page := listOf("more", object("shop", "a"))
		if r.URL.Query().Get("continue") == "more" {
			page = listOf("", object("shop", "b"))
		}
		respondJSON(page)(w, r)
	}})
	var got []string
	err := fake.server.List(t.Context(), pod, cluster.Selection{Namespace: "shop", Labels: "app=web"}, func(u unstructured.Unstructured) {
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
			fake := startFake(t, fakeResponses{
				"/api/v1/namespaces/shop/pods":   respond(body),
				"/api/v1/namespaces/shop/pods/a": respond(body),
				"/version":                       respond(body),
			})
			sel := cluster.Selection{Namespace: "shop"}
			if err := fake.server.Scan(t.Context(), pod, sel, func(stuck.Object) {}); err == nil {
				t.Error("a scan takes it for an answer")
			}
			if err := fake.server.List(t.Context(), pod, sel, func(unstructured.Unstructured) {}); err == nil {
				t.Error("a list takes it for an answer")
			}
			if strings.HasPrefix(body, `{"kind"`) && json.Valid([]byte(body)) {
				return // an object of some kind, if not of the one that was asked for
			}
			if u, err := fake.server.Get(t.Context(), pod, "shop", "a"); err == nil {
				t.Errorf("a get takes it for an answer: %v", u)
			}
			if m, err := fake.server.Metadata(t.Context(), pod, "shop", "a"); err == nil {
				t.Errorf("metadata takes it for an answer: %v", m)
			}
		})
	}
}
