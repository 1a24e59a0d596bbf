package e2e

import (
	"errors"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
	"github.com/kubectl-finalizers/kubectl-finalizers/test/plane"
)

// TestHealth breaks one control plane in one way after the other.
func TestHealth(t *testing.T) {
	t.Parallel()
	p := ownPlane(t)
	t.Run("well", func(t *testing.T) {
		var found examined
		for range 3 { // on a busy machine a new cluster may truly be ill for a moment
			if found = examine(t, p, plane.Admin, "--for", "5s"); found.State == stuck.Well {
				break
			}
		}
		if found.code != 0 || found.State != stuck.Well {
			t.Errorf("a new cluster is %q (%d)", found.State, found.code)
		}
		for _, each := range found.Types {
			if each.List != "ok" || each.Informer != "ok" && each.Type != "componentstatuses" || each.Relists != 0 {
				t.Errorf("%+v", each)
			}
		}
	})
	t.Run("the API server restarts", func(t *testing.T) {
		for _, part := range []string{plane.ControllerManager, plane.Scheduler} { // which would give up
			if err := p.Stop(part); err != nil {
				t.Fatal(err)
			}
		}
		time.AfterFunc(2*time.Second, func() {
			if err := errors.Join(p.Stop(plane.APIServer), p.Start(t.Context(), plane.APIServer)); err != nil {
				t.Error(err)
			}
		})
		found := examine(t, p, plane.Admin, "configmaps", "namespaces", "--check", "watch,informers", "--for", "30s")
		found.finding(t, "informers", "configmaps", stuck.Doubtful, "was interrupted, and recovered", "opened anew")
		found.finding(t, "watch", "configmaps", stuck.Ill, "was cut off after")
	})
	t.Run("conversion webhook", func(t *testing.T) {
		setUp(t, p, deadConversion)
		found := examine(t, p, plane.Admin, "--check", "list")
		found.finding(t, "list", "drawings.convert.example.com", stuck.Ill, "its conversion webhook fails",
			"service/converter in namespace default does not exist", "these are being deleted: sketches", "kubectl -n default get service,endpointslices,pods")
	})
	t.Run("APIService", func(t *testing.T) {
		setUp(t, p, deadAPIService)
		found := examine(t, p, plane.Admin, "--check", "apiservices")
		found.finding(t, "apiservices", "v1.absent.example.com", stuck.Ill, "is not available", "service/absent in namespace default does not exist", "sketches")
	})
	t.Run("kubectl's cache", func(t *testing.T) {
		setUp(t, p, "kubectl api-resources\n"+unnoticed)
		found := examine(t, p, plane.Admin, "--check", "apiservices")
		found.finding(t, "apiservices", "kubectl's discovery cache", stuck.Doubtful, "it does not know late.cache.example.com")
	})
	t.Run("the API server dies", func(t *testing.T) {
		time.AfterFunc(2*time.Second, func() {
			if err := p.Stop(plane.APIServer); err != nil {
				t.Error(err)
			}
		})
		found := examine(t, p, plane.Admin, "configmaps", "--check", "informers", "--for", "10s")
		found.finding(t, "informers", "configmaps", stuck.Ill, "lost its watch, and had not got it back after 10s", "connection refused")
	})
}

// deadConversion is a type in two versions whose webhook does not exist, with an object in the version that is not stored,
// and a namespace that is to be deleted.
const deadConversion = `
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
kubectl wait crd/drawings.convert.example.com --for=condition=Established
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
timeout 20 sh -c "until kubectl get --raw /apis/convert.example.com/v2/drawings 2>&1 | grep -q 'conversion webhook'; do sleep 0.2; done"
kubectl delete namespace sketches --wait=false
`

const deadAPIService = `
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
kubectl wait apiservice/v1.absent.example.com --for=condition=Available=False --timeout=20s
`

// unnoticed is a type that kubectl does not learn of: what it sends raw leaves its cache alone.
const unnoticed = `
kubectl create --raw /apis/apiextensions.k8s.io/v1/customresourcedefinitions -f - <<'END'
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"late.cache.example.com"},
 "spec":{"group":"cache.example.com","scope":"Namespaced","names":{"plural":"late","singular":"late","kind":"Late"},
  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}
END
timeout 20 sh -c "until kubectl get --raw /apis/cache.example.com/v1/late >/dev/null 2>&1; do sleep 0.1; done"
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
	found := examine(t, p, plane.Admin)
	found.finding(t, "apiservices", "etcd", stuck.Ill, "the API server's /readyz fails on etcd", "nothing can be read or written")
	if state := found.check(t, "watchers").State; state != stuck.NotSeen {
		t.Errorf("of a server that answers no list, who watches is %q", state)
	}
}
