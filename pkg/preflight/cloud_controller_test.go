package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
)

const cloudScene = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: acme-cloud-controller-manager, namespace: kube-system, uid: d1}
spec: {replicas: 1, template: {spec: {serviceAccountName: cloud, containers: [{name: c, image: i}]}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: cloud, uid: r1}
rules: [{apiGroups: [""], resources: [services], verbs: [get, list, watch, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: cloud, uid: b1}
roleRef: {kind: ClusterRole, name: cloud}
subjects: [{kind: ServiceAccount, name: cloud, namespace: kube-system}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: cloud-controller-manager, namespace: kube-system, uid: l1}
spec: {holderIdentity: node-1_x, leaseDurationSeconds: 15, renewTime: "2026-03-01T03:00:00.000000Z"}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop, uid: s1, finalizers: [service.kubernetes.io/load-balancer-cleanup]}
spec: {type: LoadBalancer}`

// A Pod that no workload has made may be a controller all the same, if it may write anything.
func TestPodWithoutWorkload(t *testing.T) {
	const pods = `
---
{apiVersion: v1, kind: Pod, metadata: {name: operator, namespace: kube-system, uid: p1}, spec: {serviceAccountName: cloud, containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: kube-system, uid: p2}, spec: {containers: [{name: c, image: i}]}}`
	for name, want := range map[string]preflight.Outcome{"operator": preflight.Unknown, "web": preflight.GoesThrough} {
		if r := newFakeSource(t, cloudScene+pods).predict(t, servedTypes(), "pod/"+name+" -n kube-system"); r.Outcome != want {
			t.Errorf("%s: %s, %v", name, r.Outcome, r.Gaps)
		}
	}
}

// A cloud-controller-manager that is deleted deletes no load balancer afterwards.
func TestCloudController(t *testing.T) {
	deployments := cluster.DeploymentType
	deployments.Listable = true
	types := append(servedTypes(), deployments)
	const cloud, web = "deployment/acme-cloud-controller-manager -n kube-system", "service/web -n shop"
	s := newFakeSource(t, cloudScene)
	if r := s.predict(t, types, web); r.Outcome != preflight.GoesThrough {
		t.Errorf("with its controller: %s, %v", r.Outcome, r.Gaps)
	}
	if r := s.predict(t, types, web, cloud); r.Outcome == preflight.GoesThrough {
		t.Errorf("without its controller: %s, %v", r.Outcome, r.Gaps)
	}
	r := s.predict(t, types, cloud)
	if want := []string{"[1 service] [shop] " + cloud + ", which deletes load balancers, is deleted"}; r.Outcome != preflight.OthersGetStuck || !slices.Equal(lines(r.Others), want) {
		t.Errorf("of others: %s, %q", r.Outcome, lines(r.Others))
	}
}

// A cloud-controller-manager may have any name, and its account or permissions may be deleted alone: its Lease, which is of the
// time before the deletion, does not show that it is left.
func TestCloudControllerOfAnyName(t *testing.T) {
	types := append(servedTypes(), cluster.DeploymentType, cluster.ServiceAccountType, cluster.ClusterRoleType)
	for i := range types {
		types[i].Listable = true
	}
	scene := strings.ReplaceAll(cloudScene, "acme-cloud-controller-manager", "ccm-acme") + `
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: cloud, namespace: kube-system, uid: sa1}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: other, namespace: kube-system, uid: sa2}}`
	for target, want := range map[string]preflight.Outcome{
		"deployment/ccm-acme -n kube-system": preflight.Unknown, "serviceaccount/cloud -n kube-system": preflight.Unknown,
		"clusterrole/cloud": preflight.Unknown, "serviceaccount/other -n kube-system": preflight.GoesThrough,
	} {
		s := newFakeSource(t, strings.TrimSpace(scene))
		for _, refs := range [][]string{{target}, {target, "service/web -n shop"}} {
			if r := s.predict(t, types, refs...); r.Outcome != want {
				t.Errorf("%q: %s, %q, %v", refs, r.Outcome, lines(r.Others), r.Gaps)
			}
		}
	}
}
