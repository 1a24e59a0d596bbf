package preflight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

const othersScene = `apiVersion: v1
kind: Namespace
metadata: {name: metering, uid: n1}
---
apiVersion: v1
kind: Namespace
metadata: {name: books, uid: n2, labels: {checked: "yes"}}
---
apiVersion: v1
kind: Pod
metadata: {name: api, namespace: metering, uid: p1, labels: {app: api}}
spec: {nodeName: node-1, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Service
metadata: {name: api, namespace: metering, uid: s1}
spec: {selector: {app: api}, ports: [{port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: api-1, namespace: metering, uid: e1, labels: {kubernetes.io/service-name: api}}
addressType: IPv4
endpoints:
- {addresses: [10.0.0.1], conditions: {ready: true}, targetRef: {kind: Pod, name: api, namespace: metering, uid: p1}}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.metering.example.com, uid: a1}
spec: {group: metering.example.com, version: v1, service: {namespace: metering, name: api}}
status: {conditions: [{type: Available, status: "True"}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: check, uid: w1}
webhooks:
- name: check.example.com
  clientConfig: {service: {namespace: metering, name: api}}
  failurePolicy: Fail
  namespaceSelector: {matchLabels: {checked: "yes"}}
  objectSelector: {}
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [UPDATE]}]
- name: ignored.example.com
  clientConfig: {service: {namespace: metering, name: api}}
  failurePolicy: Ignore
  rules: [{apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"]}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: dependent, uid: w2, ownerReferences: [{apiVersion: v1, kind: Namespace, name: metering, uid: n1}]}
webhooks:
- name: dependent.example.com
  clientConfig: {service: {namespace: metering, name: api}}
  failurePolicy: Fail
  rules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [DELETE]}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: books, uid: c1, finalizers: [example.com/hold]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: free, namespace: books, uid: c2}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elsewhere, namespace: metering, uid: c3, finalizers: [example.com/hold]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: meters.metering.example.org, uid: d1}
spec:
  group: metering.example.org
  scope: Namespaced
  names: {plural: meters, singular: meter, kind: Meter}
  versions: [{name: v1, served: true, storage: false}, {name: v1alpha1, served: true, storage: true}]
  conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: metering, name: api}}}}
status: {storedVersions: [STORED]}
---
apiVersion: metering.example.org/v1
kind: Meter
metadata: {name: m1, namespace: books, uid: m1}
`

var meters = stuck.Type{Group: "metering.example.org", Version: "v1", Resource: "meters", Kind: "Meter", Namespaced: true, Listable: true, Watchable: true}

// servedTypes are the types of the scene.
func servedTypes() []stuck.Type {
	types := []stuck.Type{
		cluster.NamespaceType, cluster.PodType, cluster.ServiceType, cluster.ConfigMapType, cluster.CustomResourceDefinitionType, cluster.APIServiceType, meters,
		webhooks,
	}
	for i := range types {
		types[i].Listable = true
	}
	return types
}

// lines are what becomes of objects that are not deleted.
func lines(others []preflight.Other) []string {
	var out []string
	for _, o := range others {
		out = append(out, fmt.Sprint(o.Objects, o.Namespaces, " ", o.Message))
	}
	return out
}

// What is behind an APIService, a webhook or a conversion is deleted, and they are not: the objects that cannot be
// deleted then are counted. A webhook that ignores failures, and one that the garbage collector deletes, hold nothing.
func TestLostBackends(t *testing.T) {
	const (
		updates   = "[1 configmap] [books] webhook check.example.com rejects all updates, such as the removal of a finalizer, when "
		deletions = "[2 configmaps] [books] webhook dependent.example.com rejects all deletions when "
		server    = "apiservice/v1.metering.example.com is unavailable when "
		meter     = "[1 meter.metering.example.org] [books] meters.metering.example.org cannot be listed when "
		pods      = "the Pods of service/api -n metering are deleted"
		service   = "service/api -n metering is deleted"
		converted = ": the conversion webhook is unreachable"
	)
	for _, test := range []struct {
		name, stored, target string
		outcome              preflight.Outcome
		want                 []string
		gap                  string
	}{
		{"a Pod", "v1alpha1", "pod/api -n metering", preflight.OthersGetStuck, []string{
			"[3 configmaps] [books metering] webhook dependent.example.com rejects all deletions when " + pods, "[2 namespaces] [] " + server + pods, updates + pods, meter + pods + converted,
		}, ""},
		{"its namespace", "v1alpha1", "namespace/metering", preflight.GetsStuck, []string{
			"[1 namespace] [] " + server + service, updates + service, meter + service + converted,
		}, ""},
		{"versions that may be stored", "v1alpha1, v1", "service/api -n metering", preflight.OthersGetStuck, nil, "whether meters.metering.example.org can be read when " + service},
		{"the version that is read", "v1", "service/api -n metering", preflight.OthersGetStuck, nil, ""},
		{"nothing that is called", "v1alpha1", "configmap/free -n books", preflight.GoesThrough, []string{}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newFakeSource(t, strings.ReplaceAll(othersScene, "STORED", test.stored)).predict(t, servedTypes(), test.target)
			if got := lines(r.Others); r.Outcome != test.outcome || test.want != nil && !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(test.want))) {
				t.Errorf("%s: %q, %v", r.Outcome, got, r.Gaps)
			}
			if test.want == nil && slices.ContainsFunc(lines(r.Others), func(line string) bool { return strings.Contains(line, "cannot be listed") }) {
				t.Errorf("%q", lines(r.Others))
			}
			if has := slices.ContainsFunc(r.Gaps, func(g stuck.Gap) bool { return test.gap != "" && strings.HasPrefix(g.Source, test.gap) }); has != (test.gap != "") {
				t.Errorf("the gaps are %v", r.Gaps)
			}
		})
	}
}

// A webhook is said to reject what it rejects of the objects that there are.
func TestWebhookOfOtherType(t *testing.T) {
	scene := strings.ReplaceAll(othersScene, "STORED", "v1")
	scene = strings.Replace(scene, "operations: [UPDATE]}", "operations: [UPDATE]}, {apiGroups: [metering.example.org], apiVersions: [v1], resources: [meters], operations: [DELETE]}", 1)
	s := newFakeSource(t, scene)
	s.objects = slices.DeleteFunc(s.objects, func(u unstructured.Unstructured) bool { return u.GetKind() == "Meter" })
	const want = "[1 configmap] [books] webhook check.example.com rejects all updates, such as the removal of a finalizer, when service/api -n metering is deleted"
	if r := s.predict(t, servedTypes(), "service/api -n metering"); !slices.Contains(lines(r.Others), want) {
		t.Errorf("%q, %v", lines(r.Others), r.Gaps)
	}
}

// What cannot be read never makes a deletion go through.
func TestUnreadableBackends(t *testing.T) {
	for _, resource := range []string{"validatingwebhookconfigurations", "apiservices", "customresourcedefinitions", "endpointslices", "services"} {
		s := newFakeSource(t, strings.ReplaceAll(othersScene, "STORED", "v1alpha1"))
		if resource != "endpointslices" && resource != "services" { // then the others show that it does not
			s.objects = slices.DeleteFunc(s.objects, func(u unstructured.Unstructured) bool {
				return u.GetKind() == "APIService" || u.GetKind() == "ValidatingWebhookConfiguration" || u.GetKind() == "CustomResourceDefinition"
			})
		}
		s.unreadable = resource
		if r := s.predict(t, servedTypes(), "pod/api -n metering"); r.Outcome != preflight.Unknown {
			t.Errorf("without %s: %s, %v", resource, r.Outcome, lines(r.Others))
		}
	}
}
