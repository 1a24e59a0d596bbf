package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

const meterGroupVersion = "meters.health.example.com/v1"

// meterDelay is how long a list of meters takes, which is too long.
const meterDelay = 1200 * time.Millisecond

// startMeterServer stands where an extension API server should that knows nothing of streamed lists: it takes each for a watch,
// which it serves as it should. It has one meter, whose owner does not exist.
func startMeterServer(t *testing.T) (port string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		meter := metav1.PartialObjectMetadata{
			TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: "m1", UID: "1", ResourceVersion: "7",
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "meter-owner", UID: "2"}},
			},
		}
		answer := any(metav1.PartialObjectMetadataList{
			TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"},
			Items: []metav1.PartialObjectMetadata{meter},
		})
		switch {
		case r.URL.Path == "/apis/"+meterGroupVersion:
			answer = metav1.APIResourceList{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: meterGroupVersion,
				APIResources: []metav1.APIResource{{Name: "meters", Kind: "Meter", Namespaced: true, Verbs: metav1.Verbs{"delete", "get", "list", "watch"}}},
			}
		case !strings.HasPrefix(r.URL.Path, "/apis/"+meterGroupVersion+"/"):
			http.NotFound(w, r)
			return
		case strings.HasSuffix(r.URL.Path, "/m1"):
			answer = meter
		case r.URL.Query().Get("watch") == "true":
			_ = http.NewResponseController(w).Flush() // whoever hangs up has seen enough
			limit, err := time.ParseDuration(r.URL.Query().Get("timeoutSeconds") + "s")
			if err != nil {
				limit = time.Hour
			}
			select {
			case <-r.Context().Done():
			case <-time.After(limit):
			}
			return
		default:
			<-time.After(meterDelay)
		}
		_ = json.NewEncoder(w).Encode(answer) // whoever hangs up has seen enough
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return address.Port()
}

const meterScene = `
kubectl create -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: meter-api, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.meters.health.example.com}
spec:
  group: meters.health.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {namespace: default, name: meter-api, port: PORT}
END
kubectl wait apiservice/v1.meters.health.example.com --for=condition=Available --timeout=5m
until kubectl api-resources --api-group=meters.health.example.com 2>/dev/null | grep -q meters; do sleep 0.5; done
`

// testEndlessStreams has an extension server whose watches work and whose streamed lists do not end, beside types of which they do.
func testEndlessStreams(t *testing.T, p *plane.Plane) {
	runSetup(t, p, strings.ReplaceAll(meterScene, "PORT", startMeterServer(t)))
	found := runHealth(t, p, plane.Admin, "meters.meters.health.example.com", "limitranges", "--check", "watch,informers", "--for", "4s")
	found.wantProblem(t, "watch", "meters.meters.health.example.com", stuck.Unhealthy, "the streamed list of meters.meters.health.example.com never ends", "no bookmark with k8s.io/initial-events-end",
		"apiservice/v1.meters.health.example.com, service/meter-api -n default", "the garbage collector and the quota controller",
		"not deleted, though none of their owners exists: meter.meters.health.example.com/m1 -n default (of 1 object with owners that were checked)", "kube-controller-manager leads since ", "no ResourceQuota of any namespace is updated", "sendInitialEvents=true", "KUBE_FEATURE_WatchListClient=false")
	found.wantProblem(t, "informers", "meters.meters.health.example.com", stuck.Unhealthy, "does not sync: its streamed list never ends", "apiservice/v1.meters.health.example.com")
	for _, check := range []string{"watch", "informers"} {
		for _, f := range found.check(t, check).Problems {
			if strings.Contains(f.Reason, "stream") && (f.Subject.Name == "limitranges" || strings.Contains(f.Steps[0].Description, "longer time")) {
				t.Errorf("a problem of %s is %+v", check, f)
			}
		}
	}
	if details := strings.Join(found.check(t, "watch").Details, "; "); !strings.Contains(details, "1 of 2 streamed lists (WatchList) ended") {
		t.Errorf("the details are %s", details)
	}
	found = runHealth(t, p, plane.Admin, "meters.meters.health.example.com", "--check", "list")
	found.wantProblem(t, "list", "meters.meters.health.example.com", stuck.Warning, "responds slowly", "the list of one object took ", "service/meter-api -n default answers it", "for each namespace that is deleted")
	runSetup(t, p, "kubectl delete apiservice v1.meters.health.example.com")
}
