package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestHealth breaks one control plane in one way after the other.
func TestHealth(t *testing.T) {
	t.Parallel()
	began := time.Now()
	p := ownPlane(t)
	starting := time.Since(began) // what parts take to start on this machine
	t.Run("healthy", func(t *testing.T) {
		eventually(t, func() error { // on a busy machine a new cluster may truly be unhealthy for a moment
			found := runHealth(t, p, plane.Admin, "--for", "5s")
			if found.code != 0 || found.State != stuck.Healthy {
				return fmt.Errorf("a new cluster is %q (%d)", found.State, found.code)
			}
			for _, each := range found.Types {
				if each.List != "ok" || each.Informer != "ok" && each.Type != "componentstatuses" || each.Relists != 0 {
					return fmt.Errorf("%+v", each)
				}
			}
			return nil
		})
	})
	t.Run("the API server restarts", func(t *testing.T) {
		for _, part := range []string{plane.ControllerManager, plane.Scheduler} { // which would give up
			if err := p.Stop(part); err != nil {
				t.Fatal(err)
			}
		}
		restarted := waitForWatches(t, p, "configmaps", 2, func() error {
			return errors.Join(p.Stop(plane.APIServer), p.Start(t.Context(), plane.APIServer))
		})
		// An informer comes back the later the longer it was away.
		length := 15*time.Second + 3*starting
		found := runHealth(t, p, plane.Admin, "configmaps", "namespaces", "--check", "watch,informers", "--for", length.String())
		restarted()
		found.wantProblem(t, "informers", "configmaps", stuck.Warning, "was interrupted and recovered", "repeated ")
		found.wantProblem(t, "watch", "configmaps", stuck.Unhealthy, "ended after")
	})
	t.Run("streamed lists", func(t *testing.T) { testEndlessStreams(t, p) })
	t.Run("conversion webhook", func(t *testing.T) {
		runSetup(t, p, brokenConversionScene)
		found := runHealth(t, p, plane.Admin, "--check", "list")
		found.wantProblem(t, "list", "drawings.convert.example.com", stuck.Unhealthy, "the conversion webhook fails",
			"service/converter -n default does not exist", "sketches", "kubectl -n default get service,endpointslices,pods")
	})
	t.Run("APIService", func(t *testing.T) {
		runSetup(t, p, unavailableAPIServiceScene)
		found := runHealth(t, p, plane.Admin, "--check", "apiservices")
		found.wantProblem(t, "apiservices", "v1.absent.example.com", stuck.Unhealthy, "is not available", "service/absent -n default does not exist", "Namespace sketches")
		found.wantExplained(t, p, "apiservice-unavailable")
	})
	t.Run("kubectl's cache", func(t *testing.T) {
		runSetup(t, p, "kubectl api-resources\n"+unwatchedScene)
		found := runHealth(t, p, plane.Admin, "--check", "apiservices")
		found.wantProblem(t, "apiservices", "kubectl's discovery cache", stuck.Warning, "not in the cache: late.cache.example.com")
	})
	t.Run("the API server dies", func(t *testing.T) {
		stopped := waitForWatches(t, p, "configmaps", 1, func() error { return p.Stop(plane.APIServer) })
		found := runHealth(t, p, plane.Admin, "configmaps", "--check", "informers", "--for", "25s")
		stopped()
		found.wantProblem(t, "informers", "configmaps", stuck.Unhealthy, "lost its watch and did not reconnect within 25s", "connection refused")
	})
}

// waitForWatches does something to the control plane when the plugin has so many watches open on a type that are to end by
// themselves, and have been for a moment. The other function waits until it is done.
func waitForWatches(t *testing.T, p *plane.Plane, resource string, watches int, do func() error) (done func()) {
	t.Helper()
	mark, err := p.Mark(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := func(r plane.Request) bool {
		return r.Verb == "watch" && strings.HasPrefix(r.UserAgent, "kubectl-finalizers/") && strings.Contains(r.URI, "/"+resource+"?") && strings.Contains(r.URI, "timeoutSeconds=")
	}
	ended := make(chan error, 1)
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			requests, err := p.Requests(t.Context(), mark)
			if err != nil {
				ended <- err
				return
			}
			if len(slices.DeleteFunc(requests, func(r plane.Request) bool { return !open(r) })) >= watches {
				break
			}
		}
		<-time.After(time.Second)
		ended <- do()
	}()
	return func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// brokenConversionScene is a type in two versions whose webhook does not exist, with an object in the version that is not stored,
// and a namespace that is to be deleted.
const brokenConversionScene = `
kubectl create -f - <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: drawings.convert.example.com}
spec:
  group: convert.example.com
  scope: Namespaced
  names: {plural: drawings, singular: drawing, kind: Drawing}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
END
kubectl wait crd/drawings.convert.example.com --for=condition=Established --timeout=5m
kubectl create namespace sketches
kubectl create -n sketches -f - <<'END'
apiVersion: convert.example.com/v1
kind: Drawing
metadata: {name: first}
END
kubectl patch crd drawings.convert.example.com --type=merge -p '{"spec":{
  "versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}},
              {"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}],
  "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
    "clientConfig":{"service":{"namespace":"default","name":"converter"}}}}}}'
timeout 300 sh -c "until kubectl get --raw /apis/convert.example.com/v2/drawings 2>&1 | grep -q 'conversion webhook'; do sleep 0.2; done"
kubectl delete namespace sketches --wait=false
`

const unavailableAPIServiceScene = `
kubectl create -f - <<'END'
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.absent.example.com}
spec:
  group: absent.example.com
  version: v1
  service: {namespace: default, name: absent}
  groupPriorityMinimum: 100
  versionPriority: 100
END
kubectl wait apiservice/v1.absent.example.com --for=condition=Available=False --timeout=5m
`

// unwatchedScene is a type that kubectl does not learn of: what it sends raw leaves its cache alone.
const unwatchedScene = `
kubectl create --raw /apis/apiextensions.k8s.io/v1/customresourcedefinitions -f - <<'END'
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"late.cache.example.com"},
 "spec":{"group":"cache.example.com","scope":"Namespaced","names":{"plural":"late","singular":"late","kind":"Late"},
  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}
END
timeout 300 sh -c "until kubectl get --raw /apis/cache.example.com/v1/late >/dev/null 2>&1; do sleep 0.1; done"
`

// TestHealthWithoutStorage takes etcd away.
func TestHealthWithoutStorage(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	for _, part := range []string{plane.ControllerManager, plane.Scheduler, plane.Kwok, plane.Etcd} {
		if err := p.Stop(part); err != nil {
			t.Fatal(err)
		}
	}
	found := runHealth(t, p, plane.Admin)
	found.wantProblem(t, "apiservices", "etcd", stuck.Unhealthy, "/readyz of the API server fails: etcd", "nothing can be read or written")
	if state := found.check(t, "watchers").State; state != stuck.Incomplete {
		t.Errorf("of a server that answers no list, who watches is %q", state)
	}
}
