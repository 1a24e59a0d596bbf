package preflight_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// Of the watches on a new type none may be by the garbage collector yet, so the one that is open may be the controller's or the
// collector's: that the controller removes its finalizer is not known then.
func TestNewTypeIsAGap(t *testing.T) {
	const apiServer = `
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: default, name: kubernetes, labels: {kubernetes.io/service-name: kubernetes}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}]
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {namespace: kube-system, name: apiserver-1, labels: {apiserver.kubernetes.io/identity: kube-apiserver}}
spec: {renewTime: "2026-03-01T02:59:55.000000Z"}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: meters.metering.example.org, creationTimestamp: %q}
spec: {group: metering.example.org, names: {plural: meters, kind: Meter}, scope: Namespaced}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.metering.example.org}
spec: {group: metering.example.org, version: v1}`
	for _, test := range []struct {
		age  time.Duration
		open int
		want preflight.Outcome
	}{
		{40 * time.Second, 1, preflight.Unknown},
		{40 * time.Second, 2, preflight.GoesThrough},
		{2 * time.Minute, 2, preflight.GoesThrough},
		{2 * time.Minute, 1, preflight.GetsStuck},
	} {
		s := newFakeSource(t, strings.TrimPrefix(operatorScene("op", "t1", "meters, meters/finalizers", "")+heldMeter("a", "x1", "op")+
			fmt.Sprintf(apiServer, now.Add(-test.age).Format(time.RFC3339)), "\n---\n"))
		s.watches = []cluster.WatchCount{{Resource: "podtemplates", Open: 1}, {Group: "metering.example.org", Resource: "meters", Open: test.open}}
		r := s.predict(t, servedTypes(), "meter.metering.example.org/a -n x1")
		says := slices.ContainsFunc(r.Gaps, func(g stuck.Gap) bool {
			return g.Source == "watches on meters.metering.example.org" && strings.Contains(g.Error, "look again in 50s")
		})
		if r.Outcome != test.want || says != (test.want == preflight.Unknown) {
			t.Errorf("%s old with %d watches: %s, %v", test.age, test.open, r.Outcome, r.Gaps)
		}
	}
}
