package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/cluster"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/preflight"
	"github.com/kubectl-finalizers/kubectl-finalizers/pkg/stuck"
)

// An Event holds a namespace up as any object does if it has a finalizer; without one it only
// passes. A custom resource called events is like any other.
func TestEventsWithFinalizers(t *testing.T) {
	const namespace = `apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: ns}
`
	custom := stuck.Type{Group: "metering.example.org", Version: "v1", Resource: "events", Kind: "Event", Namespaced: true, Listable: true}
	event := cluster.EventType
	event.Listable = true
	types := append(servedTypes(), event, custom)
	for _, test := range []struct {
		object string
		covers int
	}{
		{"apiVersion: v1\nkind: Event\nmetadata: {name: e1, namespace: shop, uid: e1}", 1},
		{"apiVersion: v1\nkind: Event\nmetadata: {name: e1, namespace: shop, uid: e1, finalizers: [example.com/event-guard]}", 2},
		{"apiVersion: metering.example.org/v1\nkind: Event\nmetadata: {name: e1, namespace: shop, uid: e1, finalizers: [example.com/event-guard]}", 2},
	} {
		r := newFakeSource(t, strings.Join([]string{namespace, test.object}, "\n---\n")).predict(t, slices.Clone(types), "namespace/shop")
		diagnosed := slices.ContainsFunc(r.Diagnoses, func(d *stuck.Diagnosis) bool { return d.Object.Name == "e1" })
		if r.Objects != test.covers || diagnosed != (test.covers == 2) || diagnosed && r.Outcome == preflight.GoesThrough {
			t.Errorf("%s: %s of %d objects, the Event is diagnosed: %t (%v)", test.object, r.Outcome, r.Objects, diagnosed, r.Gaps)
		}
	}
}
