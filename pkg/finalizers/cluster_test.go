package finalizers_test

import (
	"fmt"
	"net/http/httptest"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/kubectl-finalizers/kubectl-finalizers/internal/fakeapi"
)

// core is the discovery of three types of Kubernetes itself.
const core = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[{"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[
	{"resource":"namespaces","responseKind":{"group":"","version":"v1","kind":"Namespace"},"scope":"Cluster","singularResource":"namespace","verbs":["get","list"]},
	{"resource":"persistentvolumeclaims","responseKind":{"group":"","version":"v1","kind":"PersistentVolumeClaim"},"scope":"Namespaced","singularResource":"persistentvolumeclaim","verbs":["get","list"]},
	{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["get","list"]}]}]}]}`

const (
	namespace = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","uid":"1"},"spec":{"finalizers":["kubernetes"]}}`
	claim     = `{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"shop","name":"data","uid":"2",
		"creationTimestamp":"2020-01-01T00:00:00Z","deletionTimestamp":"2020-01-01T01:00:00Z","finalizers":["kubernetes.io/pvc-protection"]}}`
	pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"db-0","uid":"3"},
		"spec":{"nodeName":"node-1","volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]},"status":{"phase":"Running"}}`
)

// newCluster is a cluster in which someone has deleted the claim of a running database.
func newCluster(changes ...func(fakeapi.Responses)) (config *rest.Config, stop func()) {
	list := func(objects ...string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"List","metadata":{},"items":[%s]}`, strings.Join(objects, ","))
	}
	responses := fakeapi.Responses{
		"/version": fakeapi.Respond(`{"gitVersion":"v1.37.1"}`),
		"/api":     fakeapi.Respond(core),
		"/apis":    fakeapi.Respond(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[]}`),

		"/api/v1/namespaces":                                  fakeapi.Respond(list(namespace)),
		"/api/v1/namespaces/shop":                             fakeapi.Respond(namespace),
		"/api/v1/persistentvolumeclaims":                      fakeapi.Respond(list(claim)),
		"/api/v1/namespaces/shop/persistentvolumeclaims":      fakeapi.Respond(list(claim)),
		"/api/v1/namespaces/shop/persistentvolumeclaims/data": fakeapi.Respond(claim),
		"/api/v1/pods":                                        fakeapi.Respond(list(pod)),
		"/api/v1/namespaces/shop/pods":                        fakeapi.Respond(list(pod)),
		"/api/v1/namespaces/shop/pods/db-0":                   fakeapi.Respond(pod),
	}
	for _, change := range changes {
		change(responses)
	}
	server := httptest.NewServer(responses)
	return &rest.Config{Host: server.URL}, server.Close
}
